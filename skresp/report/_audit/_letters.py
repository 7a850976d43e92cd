"""Notices of the people who are shown as examples."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

from skresp._explain._explanation import Explanation
from skresp._html._plain_values import Plain, brief
from skresp._recourse._verdicts import Verdicts
from skresp._text import one_line, state
from skresp.report._notice._notice import notice_of


@dataclass(frozen=True)
class Letters:
    """What notices are written with.

    Attributes
    ----------
    explainer : fitted ResponsivenessExplainer
    options : mapping
        The options of `notice`.
    budget : mapping
        The limits given to `verify`.
    """

    explainer: Any
    options: Mapping[str, Any]
    budget: Mapping[str, Any]

    def of(
        self,
        explanation: Explanation,
        row: int,
        verdicts: Verdicts,
        position: int,
        label: str,
    ) -> Plain:
        """Return a person's data and notice.

        Parameters
        ----------
        explanation : Explanation
        row : int
            The position of the person in the explanation.
        verdicts : Verdicts
        position : int
            The position of the person in the verdicts.
        label : str
            The id of the person.
        """
        status = str(verdicts.status[position])
        witness = self._witness(explanation._row(row), verdicts, position)
        made = notice_of(explanation, row, status, witness, **self.options)
        features = explanation._features
        values = explanation._given_values(row)[0]
        return {
            "values": [
                {
                    "feature": one_line(name),
                    "value": brief(state(value, features[name].kind)),
                }
                for name, value in zip(explanation.feature_names, values, strict=True)
            ],
            "notice": {**made.to_dict(), "row": label, "note": ""},
        }

    def _witness(self, row: Any, verdicts: Verdicts, position: int) -> Any:
        """Return the witness to show, or None.

        Where several changes are needed it is one with few of them, if the budget is
        enough to find it: few changes make short letters.
        """
        status = verdicts.status[position]
        if status in ("joint", "possible"):
            quiet = copy(self.explainer).set_params(verbose=0)
            fewest = quiet.verify(row, cost="fewest", **self.budget)
            if fewest.status[0] == status:
                return fewest._witness_of(0)
        return (
            verdicts._witness_of(position) if verdicts.has_witness[position] else None
        )
