"""People at the cut points of a model, and at their float neighbours."""

from __future__ import annotations

import numpy as np


def neighbours(cut):
    """Return a cut point and the floats next to it, in both precisions."""
    with np.errstate(over="ignore"):
        short = np.float32(cut)
        around = [np.nextafter(short, np.float32(side)) for side in (-np.inf, np.inf)]
    found = [
        cut,
        np.nextafter(cut, -np.inf),
        np.nextafter(cut, np.inf),
        *(float(each) for each in (short, *around)),
    ]
    return [float(each) for each in found if np.isfinite(each)]


def cut_points(explainer):
    """Return the cut points of each column of numbers of an explainer's model."""
    known = explainer._fitted_model.score_function
    if known is None:
        return {}
    found = {
        column.name: known.cuts(k)
        for k, column in enumerate(known.columns)
        if column.labels is None
    }
    return {name: cuts[np.isfinite(cuts)] for name, cuts in found.items() if len(cuts)}


def at_cut_points(rng, explainer, people, shifts=None):
    """Return people with some of their numbers moved to cut points.

    Only columns of floats that are neither in constraints nor integers are moved, so
    that people stay valid. `shifts` are, by column, changes that options make: values
    are also placed so that an option lands on the cut point.
    """
    actions, people = explainer.action_set_, people.copy()
    shifts = {} if shifts is None else shifts
    bound = {n for c in actions.constraints for n in c.features} - set(shifts)
    for name, cuts in cut_points(explainer).items():
        feature = actions.features[name]
        if feature.kind != "real" or name in bound or people[name].dtype.kind != "f":
            continue
        values = people[name].to_numpy(copy=True)
        for i in np.flatnonzero(rng.random(len(values)) < 0.7):
            if np.isnan(values[i]):
                continue
            at = rng.choice(cuts)
            if name in shifts and rng.random() < 0.6:
                at = at - rng.choice(shifts[name])
            values[i] = rng.choice(neighbours(at))
            if feature.can_change:
                values[i] = np.clip(values[i], feature.lower, feature.upper)
        people[name] = values
    return people
