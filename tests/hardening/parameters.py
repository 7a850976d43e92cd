"""Parameters of ResponsivenessExplainer."""

from __future__ import annotations

from skresp import (
    AtLeast,
)

from .attack import Attack

ATTACKS = [
    *[
        Attack(
            f"{name}={value!r}",
            lambda w, name=name, value=value: w.fit(**{name: value}),
            error,
            message,
        )
        for name, value, error, message in [
            (
                "n_jobs",
                0,
                ValueError,
                (
                    "n_jobs must be a whole number other than 0 (-1 for all cores) "
                    "or None, got 0."
                ),
            ),
            (
                "n_jobs",
                "a",
                ValueError,
                (
                    "n_jobs must be a whole number other than 0 (-1 for all cores) "
                    "or None, got 'a'."
                ),
            ),
            (
                "n_jobs",
                1.5,
                ValueError,
                (
                    "n_jobs must be a whole number other than 0 (-1 for all cores) "
                    "or None, got 1.5."
                ),
            ),
            (
                "n_jobs",
                True,
                ValueError,
                (
                    "n_jobs must be a whole number other than 0 (-1 for all cores) "
                    "or None, got True."
                ),
            ),
            (
                "n_jobs",
                99_999,
                ValueError,
                (
                    "n_jobs must be at most 10,000, got 99999. Pass -1 for as many as "
                    "there are cores."
                ),
            ),
            (
                "random_state",
                -1,
                ValueError,
                (
                    "random_state must be a whole number from 0 to 4294967295, a "
                    "numpy RandomState or None, got -1."
                ),
            ),
            (
                "random_state",
                2**32,
                ValueError,
                (
                    "random_state must be a whole number from 0 to 4294967295, a "
                    "numpy RandomState or None, got 4294967296."
                ),
            ),
            (
                "random_state",
                "a",
                ValueError,
                (
                    "random_state must be a whole number from 0 to 4294967295, a "
                    "numpy RandomState or None, got 'a'."
                ),
            ),
            (
                "random_state",
                0.5,
                ValueError,
                (
                    "random_state must be a whole number from 0 to 4294967295, a "
                    "numpy RandomState or None, got 0.5."
                ),
            ),
            (
                "verbose",
                "a",
                ValueError,
                "verbose must be a whole number of at least 0, got 'a'.",
            ),
            (
                "verbose",
                -1,
                ValueError,
                "verbose must be a whole number of at least 0, got -1.",
            ),
            (
                "verbose",
                None,
                ValueError,
                "verbose must be a whole number of at least 0, got None.",
            ),
            (
                "target",
                "1",
                ValueError,
                (
                    "target='1' is not among the classes of the model. Did you "
                    "mean the number 1? Pass one of 0, 1."
                ),
            ),
            (
                "target",
                2,
                ValueError,
                ("target=2 is not among the classes of the model. Pass one of 0, 1."),
            ),
            (
                "target",
                [1],
                ValueError,
                ("target=[1] is not among the classes of the model. Pass one of 0, 1."),
            ),
            (
                "target",
                AtLeast(1),
                ValueError,
                (
                    "target is AtLeast(value=1), but the model predicts classes "
                    "(0, 1). Pass a class label as target, and threshold= for a "
                    "threshold on its probability."
                ),
            ),
            (
                "threshold",
                "a",
                TypeError,
                "threshold must be a number from 0 to 1, got 'a'.",
            ),
            (
                "threshold",
                True,
                TypeError,
                "threshold must be a number from 0 to 1, got True.",
            ),
            (
                "threshold",
                1.5,
                ValueError,
                "threshold must be between 0 and 1, got 1.5.",
            ),
            (
                "threshold",
                float("nan"),
                ValueError,
                "threshold must be between 0 and 1, got nan.",
            ),
            (
                "interventions",
                "min",
                ValueError,
                "interventions must be 'minimal' or 'joint', got 'min'.",
            ),
            (
                "interventions",
                None,
                ValueError,
                "interventions must be 'minimal' or 'joint', got None.",
            ),
            (
                "method",
                "gird",
                ValueError,
                (
                    "method must be one of 'auto', 'grid', 'highs', 'sample', got "
                    "'gird'. Did you mean 'grid'?"
                ),
            ),
            (
                "method",
                ["grid"],
                ValueError,
                (
                    "method must be one of 'auto', 'grid', 'highs', 'sample', got "
                    "['grid']. Did you mean 'grid'?"
                ),
            ),
            (
                "n_samples",
                0,
                ValueError,
                ("n_samples must be a whole number of at least 1, or 'auto', got 0."),
            ),
            (
                "n_samples",
                1.5,
                ValueError,
                ("n_samples must be a whole number of at least 1, or 'auto', got 1.5."),
            ),
            (
                "n_samples",
                "all",
                ValueError,
                (
                    "n_samples must be a whole number of at least 1, or 'auto', "
                    "got 'all'."
                ),
            ),
            (
                "n_samples",
                True,
                ValueError,
                (
                    "n_samples must be a whole number of at least 1, or 'auto', "
                    "got True."
                ),
            ),
            (
                "alpha",
                0,
                ValueError,
                "alpha must be a number between 0 and 1, both excluded, got 0.",
            ),
            (
                "alpha",
                1,
                ValueError,
                "alpha must be a number between 0 and 1, both excluded, got 1.",
            ),
            (
                "alpha",
                "a",
                ValueError,
                ("alpha must be a number between 0 and 1, both excluded, got 'a'."),
            ),
            (
                "alpha",
                1e-320,
                ValueError,
                (
                    "alpha must be at least 2.2e-16, got 1e-320: the interval would be "
                    "infinite."
                ),
            ),
            (
                "half_width",
                0,
                ValueError,
                ("half_width must be a number between 0 and 1, both excluded, got 0."),
            ),
            (
                "half_width",
                "a",
                ValueError,
                (
                    "half_width must be a number between 0 and 1, both excluded, "
                    "got 'a'."
                ),
            ),
            (
                "max_points",
                -1,
                ValueError,
                "max_points must be a whole number of at least 0, got -1.",
            ),
            (
                "max_points",
                1e5,
                ValueError,
                "max_points must be a whole number of at least 0, got 100000.0.",
            ),
            (
                "random_effects",
                3,
                TypeError,
                (
                    "random_effects must be a mapping from feature to "
                    "distribution, or a function (rows, changes, rng) -> noise, "
                    "got 3."
                ),
            ),
            (
                "random_effects",
                {"incme": 3},
                ValueError,
                (
                    "random_effects has 'incme', which is not a feature. Did you "
                    "mean 'income'? The features are 'age', 'income', 'own'."
                ),
            ),
            (
                "random_effects",
                {"income": 3},
                TypeError,
                (
                    "random_effects['income'] must be a distribution with rvs, or "
                    "a function (rows, changes, rng) -> noise, got 3."
                ),
            ),
            (
                "invalid_rows",
                "drop",
                ValueError,
                "invalid_rows must be one of 'raise', 'nan', got 'drop'.",
            ),
            (
                "missing",
                "drop",
                ValueError,
                "missing must be one of 'raise', 'hold', got 'drop'.",
            ),
            (
                "actions",
                "actions.yaml",
                TypeError,
                (
                    "action_set must be an ActionSet or None, got 'actions.yaml'. "
                    "Make one with ActionSet.infer(X, ...) or "
                    "ActionSet.from_file(path)."
                ),
            ),
            (
                "actions",
                {"age": {}},
                TypeError,
                (
                    "action_set must be an ActionSet or None, got {'age': {}}. "
                    "Make one with ActionSet.infer(X, ...) or "
                    "ActionSet.from_file(path)."
                ),
            ),
        ]
    ],
    Attack(
        "10**12 draws",
        lambda w: w.fit(n_samples=10**12, max_points=10**13).explain(w.X),
        ValueError,
        (
            "n_samples=1000000000000 and max_points=10000000000000 ask for 1.0e+12 "
            "draws for a score, and at most 100,000,000 fit in memory. Lower one of "
            "them."
        ),
    ),
]
