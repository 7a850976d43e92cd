"""Models that misbehave."""

from __future__ import annotations

from typing import Any

import numpy as np

from skresp import (
    AtLeast,
)
from skresp._model._predictions import ModelOutputError

from .attack import Attack


class Model:
    """A classifier whose methods return what they are told to."""

    def __init__(self, predict: Any, proba: Any = None, classes: Any = (0, 1)) -> None:
        self._predict, self.classes_ = predict, np.array(classes)
        if proba is not None:
            self.predict_proba = proba

    def predict(self, X: Any) -> Any:
        return self._predict(X)


class Numbers:
    """A model without classes, whose predict returns what it is told to."""

    def __init__(self, predict: Any) -> None:
        self.predict = predict


def zeros(X: Any) -> Any:
    return np.zeros(len(X), dtype=int)


def fails(X: Any) -> Any:
    raise RuntimeError("out of memory on the device")


ATTACKS = [
    *[
        Attack(name, lambda w, m=model: w.fit(m), error, message)
        for name, model, error, message in [
            (
                "predict returns one number",
                Model(lambda X: 0),
                ModelOutputError,
                (
                    "Model.predict returned an array of shape (), where one "
                    "prediction for each of 40 rows are expected. Correct the "
                    "model, or fit it again."
                ),
            ),
            (
                "predict returns None",
                Model(lambda X: None),
                ModelOutputError,
                (
                    "Model.predict returned an array of shape (), where one "
                    "prediction for each of 40 rows are expected. Correct the "
                    "model, or fit it again."
                ),
            ),
            (
                "predict returns too few",
                Model(lambda X: [0]),
                ModelOutputError,
                (
                    "Model.predict returned an array of shape (1,), where one "
                    "prediction for each of 40 rows are expected. Correct the "
                    "model, or fit it again."
                ),
            ),
            (
                "predict returns two columns",
                Model(lambda X: np.zeros((len(X), 2))),
                ModelOutputError,
                (
                    "Model.predict returned an array of shape (40, 2), where one "
                    "prediction for each of 40 rows are expected. Correct the "
                    "model, or fit it again."
                ),
            ),
            (
                "predict returns NaN",
                Model(lambda X: np.full(len(X), np.nan)),
                ModelOutputError,
                (
                    "Model.predict returned nan for 40 of 40 rows, which is not "
                    "among its classes_: 0, 1. Correct the model, or fit it again."
                ),
            ),
            (
                "predict returns another label",
                Model(lambda X: zeros(X) + 7),
                ModelOutputError,
                (
                    "Model.predict returned 7 for 40 of 40 rows, which is not "
                    "among its classes_: 0, 1. Correct the model, or fit it again."
                ),
            ),
            (
                "predict returns texts",
                Model(lambda X: ["0"] * len(X)),
                ModelOutputError,
                (
                    "Model.predict returned '0' for 40 of 40 rows, which is not "
                    "among its classes_: 0, 1. Correct the model, or fit it again."
                ),
            ),
            (
                "predict raises",
                Model(fails),
                RuntimeError,
                "out of memory on the device",
            ),
            (
                "1D probabilities",
                Model(zeros, zeros),
                ModelOutputError,
                (
                    "Model.predict_proba returned an array of shape (40,), where 2 "
                    "probabilities for each of 40 rows are expected. Correct the "
                    "model, or fit it again."
                ),
            ),
            (
                "one column of probabilities",
                Model(zeros, lambda X: np.ones((len(X), 1))),
                ModelOutputError,
                (
                    "Model.predict_proba returned an array of shape (40, 1), where "
                    "2 probabilities for each of 40 rows are expected. Correct the "
                    "model, or fit it again."
                ),
            ),
            (
                "NaN probabilities",
                Model(zeros, lambda X: np.full((len(X), 2), np.nan)),
                ModelOutputError,
                (
                    "Model.predict_proba returned nan for 40 of 40 rows, where a "
                    "finite number is expected. Correct the model, or fit it again."
                ),
            ),
            (
                "probabilities are texts",
                Model(zeros, lambda X: np.full((len(X), 2), "a")),
                ModelOutputError,
                (
                    "Model.predict_proba returned values of dtype <U1, where "
                    "numbers are expected. Correct the model, or fit it again."
                ),
            ),
            (
                "three probabilities",
                Model(zeros, lambda X: np.ones((len(X), 3)) / 3),
                ModelOutputError,
                (
                    "Model.predict_proba returned an array of shape (40, 3), where "
                    "2 probabilities for each of 40 rows are expected. Correct the "
                    "model, or fit it again."
                ),
            ),
            (
                "no classes",
                Model(zeros, classes=()),
                ValueError,
                "The model has no classes: its classes_ is empty. Fit it again.",
            ),
            (
                "two outputs",
                Model(zeros, classes=((0, 1), (0, 1))),
                ValueError,
                "The model has several outputs. Pass a model with one output.",
            ),
        ]
    ],
    *[
        Attack(
            name, lambda w, m=model: w.fit(m, threshold=0.5), ModelOutputError, message
        )
        for name, model, message in [
            (
                "probability of 2",
                Model(zeros, lambda X: np.full((len(X), 2), 2.0)),
                (
                    "Model.predict_proba returned 2, which is not a probability "
                    "between 0 and 1. Correct the model, or fit it again."
                ),
            ),
            (
                "infinite probability",
                Model(zeros, lambda X: np.full((len(X), 2), np.inf)),
                (
                    "Model.predict_proba returned inf for 40 of 40 rows, where a "
                    "finite number is expected. Correct the model, or fit it again."
                ),
            ),
            (
                "probabilities of other rows",
                Model(zeros, lambda X: np.ones((len(X) + 1, 2))),
                (
                    "Model.predict_proba returned an array of shape (41, 2), where "
                    "2 probabilities for each of 40 rows are expected. Correct the "
                    "model, or fit it again."
                ),
            ),
            (
                "complex probabilities",
                Model(zeros, lambda X: np.ones((len(X), 2)) * 1j),
                (
                    "Model.predict_proba returned values of dtype complex128, "
                    "where numbers are expected. Correct the model, or fit it "
                    "again."
                ),
            ),
        ]
    ],
    *[
        Attack(
            name,
            lambda w, p=predict: w.fit(Numbers(p), target=AtLeast(1)),
            error,
            message,
        )
        for name, predict, error, message in [
            (
                "a regressor returns NaN",
                lambda X: np.full(len(X), np.nan),
                ModelOutputError,
                (
                    "Numbers.predict returned nan for 40 of 40 rows, where a "
                    "finite number is expected. Correct the model, or fit it again."
                ),
            ),
            (
                "a regressor returns infinity",
                lambda X: np.full(len(X), np.inf),
                ModelOutputError,
                (
                    "Numbers.predict returned inf for 40 of 40 rows, where a "
                    "finite number is expected. Correct the model, or fit it again."
                ),
            ),
            (
                "a regressor returns texts",
                lambda X: ["a"] * len(X),
                ModelOutputError,
                (
                    "Numbers.predict returned values of dtype <U1, where numbers "
                    "are expected. Correct the model, or fit it again."
                ),
            ),
            (
                "a regressor returns two columns",
                lambda X: np.ones((len(X), 2)),
                ModelOutputError,
                (
                    "Numbers.predict returned an array of shape (40, 2), where one "
                    "prediction for each of 40 rows are expected. Correct the "
                    "model, or fit it again."
                ),
            ),
        ]
    ],
    Attack(
        "a model that turns bad after fit",
        lambda w: w.fit(
            Model(lambda X: zeros(X) if len(X) == 40 else [9] * len(X))
        ).explain(w.X[:3]),
        ModelOutputError,
        (
            "Model.predict returned 9 for 6 of 6 rows, which is not among "
            "its classes_: 0, 1. Correct the model, or fit it again."
        ),
    ),
]
