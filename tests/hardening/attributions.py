"""SHAP and LIME explainers."""

from __future__ import annotations

from sklearn.frozen import FrozenEstimator

from skresp import (
    LimeExplainer,
    ShapExplainer,
)

from .attack import Attack

ATTACKS = [
    *[
        Attack(
            f"{cls.__name__}, {parameters}",
            lambda w, cls=cls, p=parameters: cls(
                FrozenEstimator(w.model), **({"target": 1} | p)
            ).fit(w.X),
            error,
            message,
        )
        for cls, parameters, error, message in [
            (
                ShapExplainer,
                {"n_jobs": 0},
                ValueError,
                (
                    "n_jobs must be a whole number other than 0 (-1 for all cores) "
                    "or None, got 0."
                ),
            ),
            (
                ShapExplainer,
                {"random_state": -1},
                ValueError,
                (
                    "random_state must be a whole number from 0 to 4294967295, a "
                    "numpy RandomState or None, got -1."
                ),
            ),
            (
                ShapExplainer,
                {"verbose": "a"},
                ValueError,
                "verbose must be a whole number of at least 0, got 'a'.",
            ),
            (
                ShapExplainer,
                {"target": "1"},
                ValueError,
                (
                    "target='1' is not among the classes of the model. Did you "
                    "mean the number 1? Pass one of 0, 1."
                ),
            ),
            (
                ShapExplainer,
                {"background": 0},
                ValueError,
                (
                    "background must be a table of rows, a whole number of at "
                    "least 1, or None for rows of the fit, got 0."
                ),
            ),
            (
                ShapExplainer,
                {"background": "all"},
                ValueError,
                (
                    "background must be a table of rows, a whole number of at "
                    "least 1, or None for rows of the fit, got 'all'."
                ),
            ),
            (
                ShapExplainer,
                {"shap_kwargs": {"link": 1}},
                ValueError,
                (
                    "shap_kwargs must have keys among algorithm, check_additivity, "
                    "approximate, feature_perturbation, model_output, max_evals, "
                    "batch_size, got 'link'. Pass background rows as background=."
                ),
            ),
            (
                ShapExplainer,
                {"shap_kwargs": 3},
                TypeError,
                "shap_kwargs must be a mapping from option to value, got 3.",
            ),
            (
                ShapExplainer,
                {"per_person": True},
                ValueError,
                (
                    "per_person=True requires an action_set, which says what each "
                    "person can change. Pass action_set=ActionSet.infer(X, ...), "
                    "or leave per_person out."
                ),
            ),
            (
                ShapExplainer,
                {"action_set": 3},
                TypeError,
                (
                    "action_set must be an ActionSet or None, got 3. Make one with "
                    "ActionSet.infer(X, ...) or ActionSet.from_file(path)."
                ),
            ),
            (
                LimeExplainer,
                {"num_samples": 0},
                ValueError,
                "num_samples must be a whole number of at least 2, got 0.",
            ),
            (
                LimeExplainer,
                {"num_samples": "a"},
                ValueError,
                "num_samples must be a whole number of at least 2, got 'a'.",
            ),
            (
                LimeExplainer,
                {"lime_kwargs": {"mode": "x"}},
                ValueError,
                (
                    "lime_kwargs must not have 'mode', which LimeExplainer sets "
                    "itself. See its parameters num_samples, target and "
                    "random_state."
                ),
            ),
            (
                LimeExplainer,
                {"lime_kwargs": 3},
                TypeError,
                "lime_kwargs must be a mapping from option to value, got 3.",
            ),
            (
                LimeExplainer,
                {"n_jobs": "a"},
                ValueError,
                (
                    "n_jobs must be a whole number other than 0 (-1 for all cores) "
                    "or None, got 'a'."
                ),
            ),
        ]
    ],
    *(
        Attack(
            f"{kind.__name__} with per_person='no'",
            lambda w, kind=kind: kind(
                FrozenEstimator(w.model), w.actions, target=1, per_person="no"
            ).fit(w.X),
            TypeError,
            "per_person must be True or False (true or false in a file), got 'no'.",
        )
        for kind in (ShapExplainer, LimeExplainer)
    ),
]
