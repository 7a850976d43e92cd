"""Bad inputs: a call, and the error that it must raise."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._cli._main import main


class World:
    """What attacks use: data, a model, explainers, results, a folder for files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def X(self) -> pd.DataFrame:  # noqa: N802
        rng = np.random.default_rng(0)
        return pd.DataFrame(
            {
                "age": rng.integers(19, 70, 40),
                "income": rng.uniform(0, 9, 40).round(2),
                "own": rng.integers(0, 2, 40),
            }
        )

    @cached_property
    def y(self) -> pd.Series:
        return (self.X["income"] + self.X["own"] > 5).astype(int)

    @cached_property
    def model(self) -> Any:
        return DecisionTreeClassifier(max_depth=2, random_state=0).fit(self.X, self.y)

    @cached_property
    def actions(self) -> ActionSet:
        return ActionSet.infer(self.X, immutable=["age"])

    def fit(self, model: Any = None, actions: Any = None, **parameters: Any) -> Any:
        """Return a fitted explainer of the model, or of another one."""
        model = FrozenEstimator(self.model) if model is None else model
        actions = self.actions if actions is None else actions
        parameters = {"target": 1} | parameters
        return ResponsivenessExplainer(model, actions, **parameters).fit(self.X)

    @cached_property
    def explainer(self) -> Any:
        return self.fit(random_state=0)

    @cached_property
    def explanation(self) -> Any:
        return self.explainer.explain(self.X)

    @cached_property
    def verdicts(self) -> Any:
        return self.explainer.verify(self.X)

    @cached_property
    def report(self) -> Any:
        from skresp.report import AuditReport

        return AuditReport.from_estimator(self.explainer, self.X, sections=["people"])

    @cached_property
    def detached(self) -> Any:
        """The explanation, as it is after pickle."""
        import pickle

        return pickle.loads(pickle.dumps(self.explanation))

    def file(self, name: str, text: str | bytes) -> Path:
        """Return the path of a new file with this content."""
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def read(self, text: str, name: str = "a.yaml") -> ActionSet:
        """Read an action set from a file with this text."""
        return ActionSet.from_file(self.file(name, text))

    # -- the command line -----------------------------------------------------------

    @cached_property
    def data(self) -> str:
        path = self.folder / "data.csv"
        self.X.to_csv(path, index=False)
        return str(path)

    @cached_property
    def actions_file(self) -> str:
        path = self.folder / "actions.yaml"
        self.actions.to_file(path)
        return str(path)

    @cached_property
    def model_file(self) -> str:
        import joblib

        path = self.folder / "model.joblib"
        joblib.dump(self.model, path)
        return str(path)

    def run(self, *words: Any) -> None:
        """Run a command; raise CommandError with what it prints if it fails."""
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(list(map(str, words)))
        assert "Traceback" not in err.getvalue()
        if code == 2:
            raise CommandError(err.getvalue().strip().splitlines()[-1])

    def audit(self, *words: Any, **instead: Any) -> None:
        """Run `skresp audit` with some options replaced."""
        options = {
            "model": self.model_file,
            "data": self.data,
            "actions": self.actions_file,
            "target": 1,
            "out": self.folder / "out",
        } | instead
        pairs = [word for k, v in options.items() for word in (f"--{k}", v)]
        self.run("audit", *pairs, "--trust-pickle", *words)


class CommandError(Exception):
    """A command ended with exit code 2."""


@dataclass(frozen=True)
class Attack:
    """A bad input, and the error it must raise.

    Attributes
    ----------
    name : str
    call : callable
        Takes the World.
    error : type
        The type of the error.
    message : str
        Its whole message; "..." stands for any text.
    """

    name: str
    call: Callable[[World], Any]
    error: type[Exception]
    message: str

    def outcome(self, world: World) -> str:
        """Return what is wrong about the error; empty if it is the expected one."""
        try:
            result = self.call(world)
        except Exception as error:
            if type(error) is not self.error:
                return f"raised {type(error).__name__}: {error}"
            pattern = re.escape(self.message).replace(re.escape("..."), ".*")
            if not re.fullmatch(pattern, str(error), re.DOTALL):
                return f"the message is {str(error)!r}"
            return ""
        return f"no error, but {result!r:.200}"


def feature(**fields: Any) -> Feature:
    """Return an integer feature from 0 to 9, with other fields."""
    return Feature(**({"kind": "integer", "lower": 0, "upper": 9} | fields))
