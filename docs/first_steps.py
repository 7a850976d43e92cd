"""What three applicants can change, and where it leads."""

import pandas as pd

from skresp import ActionSet, Feature
from skresp.constraints import IfThen, Linkage, OneHot
from skresp.reach import reachable_set

APPLICANTS = pd.DataFrame(
    {
        "age": [29, 44, 61],
        "years_employed": [3, 0, 12],
        "loans": [2, 1, 4],
        "job": ["part time", "none", "full time"],
        "own": [0, 0, 1],
        "rent": [1, 0, 0],
        "free": [0, 1, 0],
    },
    index=["Ann", "Bob", "Cleo"],
)

actions = ActionSet.infer(
    APPLICANTS,
    features={
        "age": Feature("integer", actionable=False),
        "years_employed": Feature(
            "integer", 0, 40, direction="increase", max_increase=2
        ),
        "loans": Feature("integer", lower=0, direction="decrease"),
        "job": Feature("categorical", categories=["none", "part time", "full time"]),
    },
    constraints=[
        Linkage("years_employed", {"age": 1}),
        OneHot(["own", "rent", "free"]),
        IfThen(("job", "==", "none"), ("own", "==", 0)),
    ],
)
print(actions, end="\n\n")

for name, person in APPLICANTS.iterrows():
    everything = reachable_set(actions, person)
    print(f"{name} can get to {len(everything)} points in all. One thing at a time:")
    for feature in actions.actionable:
        points = reachable_set(actions, person, feature).points
        moves = []
        for _, point in points.iterrows():
            changed = [c for c in actions.names if point[c] != person[c]]
            moves.append(", ".join(f"{c} {person[c]} -> {point[c]}" for c in changed))
        print(f"  {feature}: {'; or '.join(moves) or 'cannot be moved'}")
    print()
