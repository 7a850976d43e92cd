"""The numbers of an audit are those of the metrics; the page shows them and no more."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import warnings
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression

from skresp import ActionSet, AtLeast, ResponsivenessExplainer, ShapExplainer
from skresp._recourse._status import PROOFS
from skresp._text import percent
from skresp.constraints import Linear
from skresp.metrics import compare_explainers, recourse_summary
from skresp.metrics._share_interval import newcombe, wilson
from skresp.report import AuditReport, notice
from skresp.report._audit._page import page
from skresp.report._audit.sections._registry import SECTIONS
from tests.credit_example import lender
from tests.report.audit.strange_names import STRANGE, strange_report


@cache
def shap_explainer() -> ShapExplainer:
    us = lender()
    return ShapExplainer(FrozenEstimator(us.model), target=1, random_state=0).fit(us.X)


@cache
def report() -> AuditReport:
    us = lender()
    return AuditReport.from_estimator(
        us.explainer,
        us.X,
        groups="sex",
        explainers={"SHAP": shap_explainer()},
        date="2025-01-01",
    )


class Tags(HTMLParser):
    """The tags and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


def test_people_are_counted_as_the_metrics_count_them():
    us = lender()
    people = report().to_dict()["people"]
    for name, value in recourse_summary(us.verdicts).items():
        assert people[name] == pytest.approx(value)
    frame = recourse_summary(us.verdicts, groups=us.X["sex"])
    for line in people["groups"]:
        for name, value in frame.loc[line["group"]].items():
            assert line[name] == pytest.approx(value)


def test_features_work_for_those_whose_scores_say_so():
    us = lender()
    found = report().to_dict()["features"]
    need = ~us.explanation.at_target
    women = (us.X["sex"] == "female").to_numpy() & need
    assert {f["feature"] for f in found["features"]} == set(us.X)
    for line in found["features"]:
        j = us.explanation.feature_names.index(line["feature"])
        score = us.explanation.values[:, j]
        assert line["works_for"] == (score[need] > 0).sum() == sum(line["bands"])
        assert line["mean"] == pytest.approx(score[need].mean())
        assert line["can_move"] == (us.explanation.n_reachable[need, j] > 0).sum()
        assert line["groups"]["female"] == pytest.approx((score[women] > 0).mean())


def test_examples_show_no_progress_of_their_own(capsys):
    us = lender()
    loud = ResponsivenessExplainer(
        FrozenEstimator(us.model), us.explainer.action_set, target=1, verbose=1
    ).fit(us.X)
    AuditReport.from_estimator(loud, us.X[:40], examples=2, sections=["people"])
    without = re.findall(r"explain: +100%", capsys.readouterr().err)
    AuditReport.from_estimator(loud, us.X[:40], examples=2, sections=["examples"])
    assert re.findall(r"explain: +100%", capsys.readouterr().err) == without
    assert len(without) == 1
    assert loud.verbose == 1


def test_the_comparison_is_that_of_the_metrics():
    us = lender()
    frame = compare_explainers({"RESP": us.explainer, "SHAP": shap_explainer()}, us.X)
    for line in report().to_dict()["comparison"]["explainers"]:
        for name in ("presented", "all_unresponsive", "all_responsive", "n_features"):
            assert line[name] == pytest.approx(frame.loc[name, line["name"]])


def test_people_without_a_list_are_split_by_verdict():
    summary = report().to_dict()
    resp = summary["comparison"]["explainers"][0]
    for name in ("joint", "no_recourse"):
        assert resp[name] == pytest.approx(summary["people"][name]) != 0
    section = report().html.split('id="comparison"')[1]
    assert f"no list: several changes needed: {percent(resp['joint'])}" in section
    assert f"no list: no change works: {percent(resp['no_recourse'])}" in section


def test_examples_have_every_status_and_the_content_of_a_notice():
    us = lender()
    examples = report().to_dict()["examples"]
    assert {e["status"] for e in examples} == {"single", "joint", "fixed"}
    for example in examples:
        person = us.X.iloc[[int(example["row"])]]
        content = notice(us.explainer, person).to_dict()
        assert example["notice"]["reasons"] == content["reasons"]
        assert example["notice"]["together"] == content["together"]


def test_json_is_what_the_page_shows():
    summary = json.loads(report().json)
    assert summary == report().to_dict()
    words = " ".join(Tags(report().html).words)
    for fact in (
        f"{summary['people']['n_denied']}",
        summary["method"]["hashes"]["action set"],
        summary["method"]["hashes"]["model"],
        summary["method"]["versions"]["scikit-learn"],
        "Each unit of change in years_employed changes age by 1.",
        "2025-01-01",
    ):
        assert fact in words


def test_every_proof_has_words():
    template = files("skresp._html") / "templates/audit/sections/method.html"
    words = template.read_text(encoding="utf-8")
    assert [proof for proof in PROOFS if proof and f'"{proof}":' not in words] == []


def test_the_page_is_made_from_plain_values_alone():
    assert page(json.loads(report().json)) == report().html


def test_the_same_call_makes_the_same_page():
    us = lender()
    again = AuditReport.from_estimator(
        us.explainer,
        us.X,
        groups=us.X["sex"],
        explainers={"SHAP": shap_explainer()},
        date="2025-01-01",
    )
    assert again.html == report().html


def test_hashes_differ_between_models_and_actions():
    us = lender()

    def hashes(model, actions):
        explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1)
        made = AuditReport.from_estimator(
            explainer.fit(us.X[:5]), us.X[:5], sections=["method"]
        )
        return made.to_dict()["method"]["hashes"]

    mine = report().to_dict()["method"]["hashes"]
    assert hashes(us.model, us.actions) == mine
    fewer = us.actions.replace(constraints=us.actions.constraints[:-1])
    assert hashes(us.model, fewer)["model"] == mine["model"]
    assert hashes(us.model, fewer)["action set"] != mine["action set"]


def test_the_page_names_its_own_script_and_asks_for_nothing():
    page = report().html
    tags = Tags(page).tags
    for tag, attributes in tags:
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            assert attributes.get(name, "#").startswith("#")
        assert tag not in ("link", "iframe", "object", "embed", "base", "img", "form")
    policy = next(a["content"] for _, a in tags if "http-equiv" in a)
    assert policy.startswith("default-src 'none';")
    for tag in ("style", "script"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.S)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_its_size_does_not_grow_with_rows():
    us = lender()
    many = pd.concat([us.X] * 100, ignore_index=True)
    large = AuditReport.from_estimator(us.explainer, many, groups="sex", date="x")
    small = AuditReport.from_estimator(us.explainer, us.X, groups="sex", date="x")
    assert large.to_dict()["people"]["n_rows"] == 12_000
    assert abs(len(large.html) - len(small.html)) < 2_000
    assert len(small.html) < 200_000


def test_every_section_has_a_template():
    folder = files("skresp._html") / "templates" / "audit" / "sections"
    assert {entry.name for entry in folder.iterdir()} == {
        f"{name}.html" for name in SECTIONS
    }


def test_the_page_starts_with_the_finding_and_counts_people_in_groups():
    us = lender()
    made = AuditReport.from_estimator(
        us.explainer, us.X, groups="sex", wanted="approval of the loan"
    )
    words = " ".join("".join(Tags(made.html).words).split())
    people = made.to_dict()["people"]
    fixed, denied = people["counts"]["fixed"], people["n_denied"]
    assert (
        f"Of 120 people, {denied} are denied. For {fixed} of them "
        f"({fixed / denied:.0%}) no allowed change leads to approval of the loan."
    ) in words
    women = (us.X["sex"] == "female").to_numpy()
    women_denied = int((women & (us.verdicts.status != "approved")).sum())
    women_fixed = int((women & (us.verdicts.status == "fixed")).sum())
    assert f"{women_fixed} of {women_denied} (" in words
    assert f"{women_denied} of {women.sum()} (" in words
    assert "Making only some of these changes" in words
    assert "leads to approval of the loan. You would need" in words


def test_the_gap_between_groups_is_the_largest_one_and_has_an_interval():
    us = lender()
    status = us.verdicts.status
    denied = np.flatnonzero(status != "approved")
    # Three groups of the denied: some fixed, none fixed, too few to have a share.
    fixed, others = denied[status[denied] == "fixed"], denied[status[denied] != "fixed"]
    labels = np.full(len(us.X), "approved", dtype=object)
    labels[others], labels[others[:9]] = "none", "few"
    labels[fixed] = labels[others[9:15]] = "some"
    made = AuditReport.from_estimator(
        us.explainer, us.X, groups=labels, sections=["people"]
    )
    people = made.to_dict()["people"]
    lines = {line["group"]: line for line in people["groups"]}
    k, n, m = len(fixed), len(fixed) + 6, len(others) - 15
    assert min(n, m) >= 10
    assert lines["some"]["interval"] == [*wilson(k, n)]
    assert lines["few"]["interval"] is lines["approved"]["interval"] is None
    lower, upper = newcombe(k, n, 0, m)
    assert people["gap"] == {
        "high": "some",
        "low": "none",
        "difference": k / n,
        "lower": lower,
        "upper": upper,
    }
    words = " ".join("".join(Tags(made.html).words).split())
    assert "some and none: the share of the denied without a change" in words
    assert f"by {100 * k / n:.0f} percentage points (95% interval: " in words
    assert ("can arise by chance" in words) == (lower <= 0)
    assert "few (few people) 0 of 9 " in words
    assert "0 of 9 (" not in words


def test_a_gap_that_may_be_chance_is_said_to_be():
    us = lender()
    labels = np.where(np.arange(len(us.X)) % 2, "odd", "even")
    made = AuditReport.from_estimator(
        us.explainer, us.X, groups=labels, sections=["people"]
    )
    gap = made.to_dict()["people"]["gap"]
    assert gap["lower"] <= 0 <= gap["difference"] <= gap["upper"]
    assert "can arise by chance" in made.html


def test_no_gap_is_named_where_everybody_has_a_change_that_works():
    us = lender()
    some = us.verdicts.status != "fixed"
    labels = np.where(np.arange(len(us.X)) % 2, "odd", "even")[some]
    made = AuditReport.from_estimator(
        us.explainer, us.X[some], groups=labels, sections=["people"]
    )
    assert made.to_dict()["people"]["gap"] is None
    assert "largest gap" not in made.html


def test_a_target_that_is_no_class_is_named_in_full():
    us = lender()
    frozen = us.explainer.estimator
    strict = ResponsivenessExplainer(frozen, us.actions, target=1, threshold=0.7)
    made = AuditReport.from_estimator(
        strict.fit(us.X), us.X[:60], sections=["people"]
    ).to_dict()
    assert made["wanted"] == "a probability of at least 0.7 of the outcome 1"
    X = us.X[["income"]]
    line = FrozenEstimator(LinearRegression().fit(X, us.y))
    actions = ActionSet({"income": us.actions.features["income"]})
    number = ResponsivenessExplainer(line, actions, target=AtLeast(0.9)).fit(X)
    made = AuditReport.from_estimator(number, X[:60], sections=["people"]).to_dict()
    assert made["wanted"] == "a prediction of at least 0.9"


def test_what_is_not_known_is_explained():
    us = lender()
    made = AuditReport.from_estimator(us.explainer, us.X, max_points=1)
    words = " ".join("".join(Tags(made.html).words).split())
    counts = made.to_dict()["people"]["counts"]
    assert counts["unknown"]
    assert "a larger max_points decides more" in words
    assert "max_points" not in report().html


def test_no_rule_and_no_feature_is_cut():
    n = 60
    labels = [f"a rather long label with the number {i}" for i in range(40)]
    X = pd.DataFrame({f"f{i}": [0, 1] * 20 for i in range(n)})
    X["label"] = labels
    many = [f"f{i}" for i in range(2, n)]
    rule = Linear(dict.fromkeys(many, 1), upper=n)
    actions = ActionSet.infer(X, immutable=many, constraints=[rule])
    explainer = ResponsivenessExplainer(Never(), actions, invalid_rows="nan").fit(X)
    made = AuditReport.from_estimator(
        explainer, X, sections=["features", "actions"], max_points=1
    )
    words = " ".join(Tags(made.html).words)
    for name in (*X, *labels):
        assert name in words
    assert "\\u2026" not in made.json
    assert rule.describe() in words


class Never:
    """Denies everybody."""

    classes_ = np.array([0, 1])

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_the_docstring_names_every_section():
    text = " ".join(AuditReport.from_estimator.__doc__.split())
    *names, last = (f'"{name}"' for name in SECTIONS)
    assert f"of {', '.join(names)} and {last}." in text


def test_sections_can_be_chosen():
    us = lender()
    made = AuditReport.from_estimator(us.explainer, us.X, sections=["method", "people"])
    assert list(made.to_dict())[-2:] == ["people", "method"]
    ids = [a["id"] for tag, a in Tags(made.html).tags if tag == "section" and "id" in a]
    assert ids == ["people", "method"]
    for section in SECTIONS:
        assert section in report().to_dict()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sections": ["peeple"]}, "sections has 'peeple'"),
        ({"groups": "gender"}, "groups must be a column of X .* got 'gender'"),
        ({"groups": [1, 2]}, "one label for each of the 120 rows"),
        ({"examples": -1}, "examples must be"),
        ({"compare_rows": 0}, "compare_rows must be"),
    ],
)
def test_a_wrong_call_is_named(options, said):
    with pytest.raises(ValueError, match=said):
        AuditReport.from_estimator(lender().explainer, lender().X, **options)


def test_other_explainers_are_sent_elsewhere():
    with pytest.raises(TypeError, match="explainers="):
        AuditReport.from_estimator(shap_explainer(), lender().X)


def test_nobody_denied_is_a_page_too():
    us = lender()
    happy = us.X[us.explanation.at_target]
    made = AuditReport.from_estimator(
        us.explainer, happy, groups="sex", explainers={"SHAP": shap_explainer()}
    )
    assert "Nobody is denied" in made.html
    json.loads(made.json)


def test_files_are_whole_or_not_there(tmp_path, monkeypatch):
    made = report()
    made.to_file(tmp_path / "audit.html")
    made.to_file(str(tmp_path / "audit.json"))
    assert (tmp_path / "audit.html").read_text() == made.html
    assert json.loads((tmp_path / "audit.json").read_text()) == made.to_dict()
    monkeypatch.setattr("os.replace", _fail)
    with pytest.raises(OSError, match="disk"):
        made.to_file(tmp_path / "audit.html")
    with pytest.raises(OSError, match="disk"):
        made.to_file(tmp_path / "new.html")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["audit.html", "audit.json"]
    with pytest.raises(ValueError, match=r"must end in \.html or \.json"):
        made.to_file(tmp_path / "audit.pdf")


def _fail(*_):
    raise OSError("disk full")


def test_strange_names_change_nothing_on_the_page(tmp_path):
    made = strange_report()
    made.to_file(tmp_path / "strange.html")
    page = (tmp_path / "strange.html").read_text(encoding="utf-8")
    tags = Tags(page).tags
    assert sum(tag == "script" for tag, _ in tags) == 1
    assert sum(tag == "style" for tag, _ in tags) == 1
    assert not any(tag == "img" for tag, _ in tags)
    assert not any(name.startswith("on") for _, a in tags for name in a)
    words = " ".join(Tags(page).words)
    for name in STRANGE[:4]:
        assert name in words
    assert "${title} {title} %s %(x)s" in words
    assert "\x00" not in page
    assert "\u202e" not in page
    assert json.loads(made.json)["title"] == STRANGE[0]


def test_rows_that_break_a_rule_are_counted_apart():
    us = lender()
    broken = us.X.copy()
    broken.loc[3, "job"] = "not employed"
    broken.loc[3, "years_employed"] = 9
    explainer = ResponsivenessExplainer(
        FrozenEstimator(us.model), us.actions, target=1, invalid_rows="nan"
    ).fit(us.X)
    made = AuditReport.from_estimator(explainer, broken).to_dict()
    assert made["people"]["n_invalid"] == made["model"]["invalid"] == 1
    assert made["people"]["n_rows"] == 119
    assert np.isfinite(made["features"]["features"][0]["mean"])


def test_any_container_makes_the_same_numbers(make_frame):
    us = lender()
    names = ["income", "credit_cards", "loan_amount", "has_guarantor"]
    rows = us.X[names].astype(float)
    actions = ActionSet({name: us.actions.features[name] for name in names})
    model = GradientBoostingClassifier(n_estimators=5, random_state=0)
    model.fit(rows.to_numpy(), us.y)

    def made(X):
        explainer = ResponsivenessExplainer(FrozenEstimator(model), actions).fit(X)
        return AuditReport.from_estimator(explainer, X, groups=us.X["sex"], date="x")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a model fitted on an array sees a frame
        framed = made(make_frame({name: rows[name].tolist() for name in names}))
    assert framed.html == made(rows.to_numpy()).html
