"""Reproduce the paper's tables: three data sets, three models, five methods.

    SKRESP_DATA=... python benchmarks/paper [--quick] [--data german heloc]
        [--models LR XGB] [--out FILE] [--figures FOLDER] [--cache FOLDER]

First the AUC, because other figures are comparable only for comparable models; then who
has recourse, how often the features that LIME, SHAP, their action-aware variants and
RESP list are responsive, overall and by rank, and the time per person. The results of
steps are cached. --quick explains few people and tries few parameters: it takes
minutes, and its figures only resemble the published ones.

Needs shap, lime and xgboost.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cache import HERE, Cache, default_folder, versions
from impossible import with_impossible
from methods import evaluate, paths, times
from models import load, train
from published import DATA, METHODS, MODELS
from ranks import draw, rank_table
from splits import over_splits
from tables import (
    agreement,
    auc_table,
    impossible_table,
    list_table,
    recourse_table,
    split_table,
    time_table,
)
from tqdm.auto import tqdm

TRAINED = ("models.py", "datasets/")
EVALUATED = (
    *TRAINED,
    "methods.py",
    *("_actions/", "constraints/", "reach/", "_model/", "scores/"),
    *("_recourse/", "_explain/", "metrics/"),
)


@dataclass(frozen=True)
class Size:
    """The size of a run."""

    draws: int  # candidates of the search
    trees: int  # maximum number
    people: int | None  # denied rows that LIME and SHAP explain, None for all
    timed: int  # people that times are measured on
    splits: int
    fewer: tuple[tuple[str, int], ...] = ()  # people in steps that would take hours

    def most(self, step: str) -> int | None:
        """Return the maximum number of people in a step of LIME, SHAP or times."""
        usual = self.timed if step.endswith("times") else self.people
        return dict(self.fewer).get(step, usual)

    def words(self) -> str:
        most = "all" if self.people is None else f"at most {self.people}"
        but = "".join(f"; {step}: {n}" for step, n in self.fewer)
        return (
            f"{self.draws} draws and 3 folds per search, at most {self.trees} trees\n"
            f"LIME (1,000 samples) and SHAP (100 rows of background) explain {most} "
            f"denied rows, times are measured on {self.timed} people{but} "
            f"(drawn with a seed)"
        )


FULL = Size(
    draws=10,
    trees=2_000,
    people=None,
    timed=50,
    splits=20,
    fewer=(
        ("heloc RF LIME", 600),
        ("heloc RF SHAP", 600),
        ("givemecredit RF LIME", 600),
        ("givemecredit RF SHAP", 150),
        ("givemecredit RF times", 20),
    ),
)
QUICK = Size(draws=2, trees=50, people=60, timed=20, splits=3)


class Study:
    """The steps of the study, each done once, with a progress bar."""

    def __init__(self, data: Any, models: Any, size: Size, cache: Cache) -> None:
        self.cases = [(d, m) for d in data for m in models]
        self.size, self.cache = size, cache
        self.split = [d for d in data if d != "givemecredit" and "LR" in models]
        self.heloc = [m for d, m in self.cases if d == "heloc"]
        many = 6 * len(self.cases) + len(self.split) + len(self.heloc)
        self.bar = tqdm(total=many, unit=" steps")

    def step(self, name: str, make: Callable[[], Any], key: Any, code: Any) -> Any:
        self.bar.set_description(name)
        result = self.cache(name, make, key, code)
        self.bar.update()
        return result

    def run(self) -> dict[str, Any]:
        size, trained, found, results, spent = self.size, {}, {}, {}, {}
        for data, kind in self.cases:
            few = 1 if kind == "LR" else size.draws
            key = (data, kind, few, size.trees if kind != "LR" else 0, load(data).data)
            one = self.step(
                f"{data} {kind} train",
                lambda d=data, k=kind: train(d, k, size.draws, size.trees),
                key,
                TRAINED,
            )
            trained[data, kind], model = one, one.model
            found[data, kind] = self.step(
                f"{data} {kind} paths",
                lambda d=data, m=model: paths(d, m),
                key,
                EVALUATED,
            )
            results[data, kind] = {}
            for method in ("LIME", "SHAP", "RESP"):
                name = f"{data} {kind} {method}"
                people = None if method == "RESP" else size.most(name)
                results[data, kind] |= self.step(
                    name,
                    lambda d=data, m=model, w=method, n=people: evaluate(d, m, w, n),
                    (key, people),
                    EVALUATED,
                )
            name = f"{data} {kind} times"
            people = size.most(name)
            spent[data, kind] = self.step(
                name,
                lambda d=data, m=model, n=people: times(d, m, METHODS, n),
                (key, people),
                EVALUATED,
            )
        counted = {
            kind: self.step(
                f"heloc {kind} impossible",
                lambda k=kind: with_impossible(trained["heloc", k].model),
                (kind, size.draws, size.trees, load("heloc").data),
                (*EVALUATED, "impossible.py"),
            )
            for kind in self.heloc
        }
        runs = {
            data: self.step(
                f"{data} LR splits",
                lambda d=data: over_splits(d, size.splits),
                (size.splits, load(data).data),
                (*EVALUATED, "splits.py"),
            )
            for data in self.split
        }
        self.bar.close()
        return {
            "trained": trained,
            "found": found,
            "results": results,
            "spent": spent,
            "counted": counted,
            "runs": runs,
        }


def report(done: dict[str, Any], size: Size) -> str:
    """All tables as text."""
    found, results = done["found"], done["results"]
    models = list(dict.fromkeys(kind for _, kind in found))
    blocks = [
        [
            f"The study again, {datetime.date.today().isoformat()}",
            versions(),
            size.words(),
        ],
        auc_table(done["trained"]),
        [
            f"{data:13} {kind:4} "
            + ", ".join(f"{k}={v}" for k, v in one.chosen.items())
            for (data, kind), one in done["trained"].items()
            if one.chosen
        ],
        recourse_table(found),
        *(list_table(kind, results) for kind in MODELS if kind in models),
        agreement(found, results),
        rank_table(results),
        time_table(done["spent"]),
    ]
    if done["counted"]:
        blocks.append(impossible_table(found, results, done["counted"]))
    if done["runs"]:
        blocks.append(split_table(done["runs"]))
    if size == FULL and len(found) == len(DATA) * len(MODELS):
        blocks.append((HERE / "why.txt").read_text().splitlines())
    return (
        "\n\n".join(
            "\n".join(line.rstrip() for line in block) for block in blocks if block
        )
        + "\n"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python benchmarks/paper",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--quick", action="store_true", help="few people and candidates"
    )
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA))
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--cache", type=Path, default=default_folder())
    parser.add_argument("--out", type=Path, help="also write the tables to this file")
    parser.add_argument("--figures", type=Path, help="draw the ranks into this folder")
    options = parser.parse_args(arguments)
    size = QUICK if options.quick else FULL
    study = Study(options.data, options.models, size, Cache(options.cache))
    done = study.run()
    text = report(done, size)
    print(text, end="")
    if options.out:
        options.out.write_text(text)
    if options.figures:
        for path in draw(done["results"], options.figures):
            print(path, file=sys.stderr)


if __name__ == "__main__":
    main()
