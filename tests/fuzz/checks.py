"""What must hold in every world: a list of what does not."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator

import numpy as np
from sklearn.frozen import FrozenEstimator

from skresp import ResponsivenessExplainer
from skresp._model._kernel_use import kernels
from skresp.report import notice

from . import lattice
from .climb import line_range, line_values, surely_allowed
from .cost_checks import check_costs
from .person import Person, differs, witness_of
from .rounding import decides_on_line, depends_on_call
from .smooth_lines import smooth_share
from .world import World

# The width of an interval inside of which rounding decides.
ROUNDING = 1e-12
# People of a world whose sentences are compared with those they get elsewhere.
_DESCRIBED = 5


def make_explainer(world: World, **more) -> ResponsivenessExplainer:
    given = {
        "target": world.target,
        "threshold": world.threshold,
        "interventions": world.interventions,
        "missing": "hold",
        "random_state": 0,
        "n_samples": 60,
    }
    return ResponsivenessExplainer(
        FrozenEstimator(world.model), world.actions, **(given | more)
    ).fit(world.X)


def failures(
    world: World, *, quick: bool = False, tally: Counter[str] | None = None
) -> Iterator[str]:
    """Everything that is wrong in a world; if quick, in scores and verdicts only.

    `tally` counts the verdicts.
    """
    with warnings.catch_warnings(), kernels("always"):
        warnings.simplefilter("ignore")
        explainer = make_explainer(world)
        explanation = explainer.explain(world.people)
        verdicts = explainer.verify(world.people)
        if tally is not None:
            tally.update(str(status) for status in verdicts.status)
        people = [Person(world, i) for i in range(len(world.people))]
        for person in people:
            yield from check_verdict(world, person, explanation, verdicts)
            yield from check_scores(world, person, explanation)
            yield from check_intervals(world, person, explanation)
            if quick:
                continue
            yield from check_notice(world, person, explanation, verdicts)
        if quick:
            return
        yield from check_costs(world, people, explainer, verdicts)
        yield from check_company(world, explainer, explanation, verdicts)
        yield from check_containers(world, explainer, explanation, verdicts)


def check_verdict(world, person, explanation, verdicts):
    i, status = person.i, verdicts.status[person.i]
    expected = person.expected
    if expected is not None and status != expected:
        yield f"row {i}: status {status} ({verdicts.proof[i]}), expected {expected}"
    if not person.denied:
        return
    if status == "fixed" and (person.has_single or len(person.hits)):
        yield f"row {i}: fixed, though a feasible change reaches the target"
    if status == "joint" and person.has_single:
        yield f"row {i}: joint, though a change of one feature reaches the target"
    if world.kind.peak:
        yield from _check_climb(person, status)
    if status in ("single", "joint", "possible") and not verdicts.has_witness[i]:
        yield f"row {i}: {status} without a witness"
    names = explanation.feature_names
    if (explanation.values[i] > 0).any() and status != "single":
        which = [n for n, v in zip(names, explanation.values[i], strict=True) if v > 0]
        yield f"row {i}: score above 0 of {which} but {status}"
    witness = witness_of(verdicts, i)
    if witness is None:
        return
    broken = lattice.allowed(world.actions, person.row, witness)
    if broken:
        yield f"row {i}: the witness {witness} is infeasible: {broken}"
    point = world.points(i, {n: [v] for n, v in witness.items()})
    if not world.reaches(point)[0]:
        yield f"row {i}: the witness {witness} does not reach the target"
    if status == "single":
        touched = [
            p
            for p in person.parts
            if any(differs(witness[n], person.row[n]) for n in p.names)
        ]
        if len(touched) != 1:
            yield f"row {i}: single, but the witness {witness} moves several parts"


def check_scores(world, person, explanation):
    i = person.i
    for k, name in enumerate(explanation.feature_names):
        value, low = explanation.values[i, k], explanation.lower[i, k]
        high, exact = explanation.upper[i, k], explanation.exact[i, k]
        if not 0 <= low <= value <= high <= 1:
            yield f"row {i}, {name}: {low} <= {value} <= {high} does not hold"
        if exact and not low == value == high:
            yield f"row {i}, {name}: exact, but {low}, {value}, {high}"
        if name not in person.interventions:
            if value or explanation.n_reachable[i, k]:
                yield f"row {i}, {name}: a score, though nobody can act on it"
            continue
        part, mask, hits = person.interventions[name]
        tied = any(
            world.actions.features[n].kind == "real"
            and world.actions.features[n].can_change
            for n in part.names
        )
        if not tied:
            share = hits.mean() if len(hits) else 0.0
            if not exact or abs(value - share) > 1e-12:
                yield f"row {i}, {name}: score {value} (exact {exact}), not {share}"
            if exact and explanation.n_reachable[i, k] != mask.sum():
                reachable = explanation.n_reachable[i, k]
                yield f"row {i}, {name}: n_reachable {reachable}, not {mask.sum()}"
        elif person.is_line(name) and world.kind.lines:
            yield from _check_line(world, person, explanation, k, name)


def _check_climb(person, status):
    """Compare a verdict with the best change that the model's margins lead to."""
    i = person.i
    found = person.climb.single() if status in ("fixed", "joint") else None
    if found is not None:
        yield f"row {i}: {status}, though one feature does: {found}"
    elif status == "fixed":
        found = person.climb.together()
        if found is not None:
            yield f"row {i}: fixed, though {found} reaches the target"


def _line_points(world, person, name, values):
    """Points at values of a feature, with what follows, and which of them exist."""
    after, ok = line_values(world, person, name, values)
    return world.points(person.i, after), ok


def _check_line(world, person, explanation, k, name):
    i, value = person.i, explanation.values[person.i, k]
    if lattice.is_missing(person.row[name]):
        if value or explanation.n_reachable[i, k]:
            yield f"row {i}, {name}: missing and held, but has a score"
        return
    low, high = line_range(world, person, name)
    if not low < high:
        return
    cells = round((high - low) / lattice.STEP) * (1 if world.kind.lattice else 40)
    middles = low + (np.arange(cells) + 0.5) * (high - low) / cells
    points, ok = _line_points(world, person, name, middles)
    if not ok.any():
        return
    works = world.reaches(points)
    share = works[ok].mean()
    if not explanation.exact[i, k]:
        drawn = explanation.n_reachable[i, k]
        # Five standard deviations, and what the width of the cells may hide.
        slack = 5 * np.sqrt(0.25 / max(drawn, 1)) + 6 / ok.sum()
        if not world.kind.rounding and not (
            world.kind.smooth and decides_on_line(world, person, name, middles)
        ):
            yield f"row {i}, {name}: a line, but not exact"
        elif drawn and abs(share - value) > slack:
            yield f"row {i}, {name}: about {value} of the line, not {share}"
        return
    slack = 1e-6 if world.kind.lattice else 6 / ok.sum()
    if world.kind.smooth and ok.all():
        share, slack = smooth_share(world, person, name, middles, works), 1e-6
    if abs(share - value) > slack:
        yield f"row {i}, {name}: {value} of the line, not {share}"


def check_intervals(world, person, explanation):
    i = person.i
    for name, (part, mask, hits) in person.interventions.items():
        kind = world.actions.features[name].kind
        k = explanation.feature_names.index(name)
        if kind == "categorical" or not explanation.exact[i, k]:
            continue
        found = explanation.intervals(i, name)
        if found is None:
            continue
        if any(not a <= b for a, b in found):
            yield f"row {i}, {name}: intervals {found}"
        if kind != "real":
            tied = any(
                world.actions.features[n].kind == "real"
                and world.actions.features[n].can_change
                for n in part.names
            )
            if tied:
                continue
            values = part.values[name][mask]
            works = set(values[hits].tolist())
            told = {v for v in set(values.tolist()) if _inside(found, v)}
            if told != works:
                yield f"row {i}, {name}: intervals {found}, but {sorted(works)} work"
            if any(e not in works for pair in found for e in pair):
                yield f"row {i}, {name}: an end of {found} does not work"
        elif person.is_line(name):
            ends = [e for pair in found for e in pair]
            # Inside of an interval as narrow as rounding, rounding decides.
            middles = [(a + b) / 2 for a, b in found if b - a > ROUNDING]
            points, ok = _line_points(world, person, name, [*ends, *middles])
            bad = points[~(world.reaches(points) & ok)]
            if not all(depends_on_call(world, bad[k : k + 1]) for k in range(len(bad))):
                yield f"row {i}, {name}: {found} has a value that does not work"
            yield from _check_bounds(world, person, name, found)
            if world.kind.lattice:
                low, high = line_range(world, person, name)
                many = round(2 * (high - low) / lattice.STEP)
                values = low + np.arange(many + 1) * lattice.STEP / 2
                values = values[values != person.row[name]]
                values, after, ok = surely_allowed(world, person, name, values)
                works = world.reaches(world.points(i, after)) & ok
                for v, w in zip(values, works, strict=True):
                    if w != _inside(found, v) and not _close(found, v):
                        yield f"row {i}, {name}: {found}, but {v} works: {w}"


def _check_bounds(world, person, name, found):
    """The last values of a range are in an interval exactly if they work."""
    values = np.array(line_range(world, person, name), dtype=float)
    values = values[values != person.row[name]]
    values, after, ok = surely_allowed(world, person, name, values)
    works = world.reaches(world.points(person.i, after)) & ok
    for k, (value, each) in enumerate(zip(values, works, strict=True)):
        if each != _inside(found, value) and not depends_on_call(
            world, world.points(person.i, {n: v[[k]] for n, v in after.items()})
        ):
            yield f"row {person.i}, {name}: {found}, but {value} works: {each}"


def _inside(found, value):
    return any(a <= value <= b for a, b in found)


def _close(found, value):
    """Whether a value is within rounding of an end, as behind a scaler."""
    return any(0 < abs(e - value) < 1e-6 for pair in found for e in pair)


def check_notice(world, person, explanation, verdicts):
    i = person.i
    told = notice(explanation, i, verdicts).to_dict()
    explanation.describe(i)
    for reason in told["reasons"]:
        name = reason["feature"]
        values = [v for pair in reason["ranges"] for v in pair]
        values += [] if reason["example"] is None else [reason["example"]]
        values += list(reason["values"])
        part, mask, hits = person.interventions[name]
        if any(
            world.actions.features[n].kind == "real"
            and world.actions.features[n].can_change
            for n in part.names
        ):
            if world.actions.features[name].kind == "real" and person.is_line(name):
                points, ok = _line_points(world, person, name, values)
                bad = np.array(values, dtype=float)[~(world.reaches(points) & ok)]
            else:
                continue
        else:
            works = set(part.values[name][mask][hits].tolist())
            bad = [v for v in values if v not in works]
        if len(bad):
            yield f"row {i}, {name}: the notice names {bad}, which do not work"
    if told["together"]:
        after = person.row | {m["feature"]: m["to"] for m in told["together"]}
        broken = lattice.allowed(world.actions, person.row, after)
        point = world.points(i, {n: [v] for n, v in after.items()})
        if broken or not world.reaches(point)[0]:
            yield f"row {i}: the notice names {after}, which fails: {broken}"


def _numbers(explanation, verdicts, described):
    """For each row all that is said of it, as text; sentences for some rows."""
    return [
        repr(
            {
                "values": explanation.values[i].tolist(),
                "lower": explanation.lower[i].tolist(),
                "upper": explanation.upper[i].tolist(),
                "exact": explanation.exact[i].tolist(),
                "n_reachable": explanation.n_reachable[i].tolist(),
                "verdict": (str(verdicts.status[i]), str(verdicts.proof[i])),
                "used": int(verdicts.used[i]),
                "witness": witness_of(verdicts, i),
            }
            | (_sentences(explanation, verdicts, i) if i in described else {})
        )
        for i in range(len(verdicts.status))
    ]


def _sentences(explanation, verdicts, i):
    return {
        "words": explanation.describe(i),
        "notice": {**notice(explanation, i, verdicts).to_dict(), "row": 0},
    }


def _difference(a, b):
    """The first place where two texts differ, with what is around it."""
    at = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    return f"{a[max(at - 60, 0) : at + 60]!r} / {b[max(at - 60, 0) : at + 60]!r}"


def check_company(world, explainer, explanation, verdicts):
    order = np.random.default_rng(world.seed).permutation(len(world.people))
    described = order[:_DESCRIBED]
    together = _numbers(explanation, verdicts, described)
    shuffled = world.people.iloc[order].reset_index(drop=True)
    found = _numbers(
        explainer.explain(shuffled), explainer.verify(shuffled), range(_DESCRIBED)
    )
    for place, i in enumerate(order):
        if found[place] != together[i]:
            yield f"row {i}, other order: {_difference(together[i], found[place])}"
    for i in order[:2]:
        one = world.people.iloc[[i]]
        alone = _numbers(explainer.explain(one), explainer.verify(one), [0])[0]
        if alone != together[i]:
            yield f"row {i}, alone: {_difference(together[i], alone)}"
    parallel = make_explainer(world, n_jobs=2)
    found = _numbers(
        parallel.explain(world.people), parallel.verify(world.people), described
    )
    if found != together:
        yield "n_jobs=2 gives other answers"


def check_containers(world, explainer, explanation, verdicts):
    import polars

    if world.kind.encoder == "native" or world.has_missing:
        return
    kinds = {f.kind for f in world.actions.features.values()}
    tables = [polars.DataFrame({n: world.people[n].to_list() for n in world.people})]
    if "categorical" not in kinds:
        tables.append(world.people.to_numpy())
    for table in tables:
        again = explainer.explain(table)
        if not np.array_equal(again.values, explanation.values, equal_nan=True):
            yield f"{type(table).__name__} gives other scores"
        if (explainer.verify(table).status != verdicts.status).any():
            yield f"{type(table).__name__} gives other verdicts"
