"""`BatchScorer`: scores and verdicts of a table as a flat table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._dataframe import take_rows
from skresp._text import quote
from skresp._typing import IndexArray
from skresp._validation import check_choice, check_integer
from skresp._write import named_in_errors

from ._column_types import list_of_names, typed_columns
from ._copied_columns import copied_column
from ._explainer_file import (
    check_explainer,
    dump_explainer,
    load_explainer,
    tolerant,
)
from ._identity import (
    action_hash,
    effects_hash,
    json_hash,
    library_versions,
    model_hash,
)
from ._outputs import OUTPUTS, Results
from ._row_problems import RowProblem, error_text, find_row_problems, short_line
from ._tables import (
    check_names,
    check_table,
    import_pyarrow,
    like,
    model_rows,
)

# Parameters of an explainer that its numbers do not depend on.
_IRRELEVANT = {"estimator", "action_set", "n_jobs", "verbose", "invalid_rows"}


class BatchScorer:
    """Compute scores, verdicts and reasons of a table, as a flat table.

    A scorer is a function of one table, without side effects, so any engine that
    applies functions to tables can run it. Each row of the result depends on its own
    row only: every division of the rows into batches gives the same table.

    Parameters
    ----------
    explainer : fitted ResponsivenessExplainer, or path
        The explainer, with an integer `random_state`. Or the path of a file that
        `joblib.dump(explainer, path)` has written: each process then loads it once,
        and only the path travels to workers. Loading runs code in the file, so it must
        come from a source you trust.
    outputs : sequence of str, default=("scores", "verdict", "reasons")
        The columns of the result:

        - "scores": `score__<feature>`, the responsiveness of each feature that people
          can act on;
        - "intervals": `lower__<feature>`, `upper__<feature>`, `exact__<feature>` and
          `n_reachable__<feature>`, as in `Explanation`;
        - "verdict": `status` and `proof`, as `verify` returns them;
        - "reasons": `reasons`, the features with the largest scores of a row that is
          denied, as a list of (feature, score), largest first;
        - "changes": `changes`, what differs between a row and its witness, as a list
          of (feature, from, to), values as text;
        - "model_score": `model_score`, the model's own score, such as the probability
          of the target.
    id_columns, keep_columns : sequence of str, or mapping from name to type
        Columns of the input to copy: ids, and for example groups. They need not be
        columns of the model. A type is one of pyarrow's, such as "int64"; without one
        the column becomes text, so that the schema does not depend on the data. A
        value that does not fit its type is null, and the row has a `problem`; so is a
        whole number in a column of floats that is too large to have all its digits.
    top_k : int, default=4
        The largest number of reasons.

    Notes
    -----
    Two more columns are always there: `at_target`, and `problem`, which is null for
    rows that could be scored. A row that breaks a constraint before any change has the
    status `invalid`; a row with a value that is missing or of the wrong kind, one with
    a value to copy that does not fit its type, and one for which the model raises an
    error, has no status. In each case `problem` says why, and the other rows are not
    affected.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, ResponsivenessExplainer
    >>> from skresp.batch import BatchScorer
    >>> X = pd.DataFrame({"age": [20, 30, 40, 50], "loans": [3, 0, 2, 1]})
    >>> actions = ActionSet.infer(X, immutable=["age"])
    >>> explainer = ResponsivenessExplainer(
    ...     LogisticRegression(), actions, target=1, random_state=0
    ... ).fit(X, [0, 1, 0, 1])
    >>> scorer = BatchScorer(explainer, outputs=["scores", "verdict"])
    >>> scorer(X)[["at_target", "status", "score__loans"]]
       at_target    status  score__loans
    0      False    single      0.333333
    1       True  approved      0.000000
    2      False    single      0.666667
    3       True  approved      0.666667
    """

    def __init__(
        self,
        explainer: Any,
        *,
        outputs: Sequence[str] = ("scores", "verdict", "reasons"),
        id_columns: Sequence[str] | Mapping[str, Any] = (),
        keep_columns: Sequence[str] | Mapping[str, Any] = (),
        top_k: int = 4,
    ) -> None:
        self.explainer = explainer
        self.outputs = list_of_names("outputs", outputs)
        self.id_columns = typed_columns("id_columns", id_columns)
        self.keep_columns = typed_columns("keep_columns", keep_columns)
        self.top_k = check_integer("top_k", top_k, 1)
        for name in self.outputs:
            check_choice("outputs", name, tuple(OUTPUTS))
        if not self.outputs:
            raise ValueError(
                f"outputs must name at least one of {', '.join(OUTPUTS)}, got none."
            )
        if not isinstance(explainer, (str, os.PathLike)):
            check_explainer(explainer)
            self._check_copied()

    # -- the explainer ----------------------------------------------------------------

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The explainer, and its copy that scores; a file is read at the first use."""
        given = self.explainer
        if isinstance(given, (str, os.PathLike)):
            return load_explainer(given)
        return given, tolerant(given)

    @property
    def _explainer(self) -> Any:
        """The explainer, for which invalid rows are fine."""
        return self._loaded[1]

    @property
    def _verbose(self) -> int:
        """The explainer's `verbose`, which is about all batches together."""
        return int(self._loaded[0].verbose)

    def _with_path(self, path: Path) -> BatchScorer:
        """Return the same scorer with its explainer in a file of its own.

        A file that was given may be replaced while a run goes on.
        """
        with named_in_errors(path):
            dump_explainer(self._explainer, path)
        return BatchScorer(
            path,
            outputs=self.outputs,
            id_columns=self.id_columns,
            keep_columns=self.keep_columns,
            top_k=self.top_k,
        )

    @property
    def _names(self) -> list[str]:
        """The columns of the input that the model needs."""
        explainer = self._explainer
        names = getattr(explainer, "feature_names_in_", explainer.action_set_.names)
        return [str(name) for name in names]

    @property
    def _input_columns(self) -> list[str]:
        """All columns of the input that are read."""
        return list(dict.fromkeys([*self._names, *self.id_columns, *self.keep_columns]))

    @property
    def _features(self) -> list[str]:
        """The features that people can act on, in the order of the model's columns."""
        actionable = self._explainer.action_set_.actionable
        return [name for name in self._names if name in actionable]

    def _check_copied(self) -> None:
        """Raise if copied columns occur twice or have names of the result."""
        names = [*self.id_columns, *self.keep_columns]
        taken = {"at_target", "problem"}
        for output in self.outputs:
            taken.update(OUTPUTS[output].types(self._features))
        for i, name in enumerate(names):
            if name in taken or name in names[:i]:
                why = "also a column of the result" if name in taken else "named twice"
                raise ValueError(
                    f"id_columns and keep_columns: {quote(name)} is {why}. Rename the "
                    f"column, or name it once."
                )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        return {k: v for k, v in self.__dict__.items() if k in _PARAMETERS}

    def __repr__(self) -> str:
        return (
            f"BatchScorer of {', '.join(self.outputs)} for {len(self._features)} "
            f"features"
        )

    # -- what it returns --------------------------------------------------------------

    @cached_property
    def schema(self) -> Any:
        """The schema of every result, a `pyarrow.Schema`."""
        self._check_copied()
        pa = import_pyarrow()
        fields = {**self.id_columns, **self.keep_columns}
        fields |= {"problem": pa.string(), "at_target": pa.bool_()}
        for output in self.outputs:
            fields |= OUTPUTS[output].types(self._features)
        return pa.schema(list(fields.items()))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that the result depends on, but for the rows."""
        return json_hash(self.identity)

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What the result depends on, but for the rows, as plain values."""
        explainer = self._explainer
        model = model_hash(explainer.estimator_)
        if model is None:
            raise ValueError(
                f"{type(explainer.estimator_).__name__} cannot be pickled, so results "
                f"cannot be traced to it. Use a model that can be pickled."
            )
        given = explainer.get_params(deep=False)
        parameters = {k: repr(v) for k, v in given.items() if k not in _IRRELEVANT}
        parameters["target"] = repr(explainer.target_)
        if explainer.random_effects is not None:
            parameters["random_effects"] = effects_hash(explainer.random_effects)
        return {
            "model": model,
            "action set": action_hash(explainer.action_set_),
            "parameters": parameters,
            "outputs": list(self.outputs),
            "id_columns": {name: str(t) for name, t in self.id_columns.items()},
            "keep_columns": {name: str(t) for name, t in self.keep_columns.items()},
            "columns": self.schema.to_string(),
            "top_k": self.top_k,
            "versions": library_versions(),
        }

    def __call__(self, table: Any) -> Any:
        """Return the scores and verdicts of a table.

        Parameters
        ----------
        table : pandas, polars or pyarrow table
            With the columns of the model and the columns to copy; others are ignored.

        Returns
        -------
        table of the same library
            One row for each row, with the columns of `schema`. A pandas frame keeps
            its index.
        """
        return like(table, self._score_table(table))

    def _score_table(
        self, table: Any, known: Mapping[int, RowProblem] | None = None
    ) -> Any:
        """Return the result for a table of any library, as a pyarrow table.

        The problems of some rows, by position, may be known before.
        """
        pa = import_pyarrow()
        check_table(table)
        check_names(table, self._input_columns)
        columns, found = {}, dict(known or {})
        for name, kind in {**self.id_columns, **self.keep_columns}.items():
            columns[name], misfits = copied_column(table, name, kind)
            for i, text in misfits.items():
                found.setdefault(i, RowProblem(short_line(text), False))
        rows = self._as_model_input(model_rows(table, self._names))
        scored, problems = self._score(rows, found)
        columns |= dict(zip(scored.column_names, scored.columns, strict=True))
        columns["problem"] = pa.array(
            [problems[i].text if i in problems else None for i in range(len(rows))],
            type=pa.string(),
        )
        arrays = [columns[name] for name in self.schema.names]
        return pa.Table.from_arrays(arrays, schema=self.schema)

    def batches(self, iterator: Iterable[Any]) -> Iterator[Any]:
        """Yield the result of each table, for Spark's mapInArrow and mapInPandas."""
        for table in iterator:
            yield self(table)

    def _check_rows(self, table: Any) -> None:
        """Raise if the model fails for each of some rows, always with one error.

        Also if no value of a column to copy fits its type. Rows of which some fail are
        no reason to stop, nor is one row alone.
        """
        for name, kind in {**self.id_columns, **self.keep_columns}.items():
            values, misfits = copied_column(table, name, kind)
            if len(misfits) > 1 and values.null_count == len(values):
                raise ValueError(
                    f"id_columns and keep_columns: no value of {quote(name)} fits its "
                    f"type {kind}: {next(iter(misfits.values()))} Choose another type, "
                    f"such as {{{quote(name)}: 'string'}}."
                )
        rows = self._as_model_input(model_rows(table, self._names))
        explainer = self._explainer
        problems = find_row_problems(explainer.action_set_, rows, explainer.missing)
        errors: list[Exception] = []
        for i in np.setdiff1d(np.arange(len(rows)), list(problems)):
            try:
                self._columns(take_rows(rows, np.array([i])))
            except Exception as error:  # of the model, which may raise anything
                errors.append(error)
                if error_text(error) == error_text(errors[0]):
                    continue
            return
        if len(errors) > 1:
            raise ValueError(
                f"explainer: its model raises an error for each of {len(errors)} rows "
                f"at the start of the input: {error_text(errors[0])}. Correct the "
                f"model, or leave these rows out."
            ) from errors[0]

    # -- computing --------------------------------------------------------------------

    def _as_model_input(self, rows: Any) -> Any:
        """Return rows as the explainer takes them: an array if it knows no names."""
        if hasattr(self._explainer, "feature_names_in_"):
            return rows
        return rows.to_numpy()

    def _score(
        self, rows: Any, known: Mapping[int, RowProblem]
    ) -> tuple[Any, dict[int, RowProblem]]:
        """Return the columns of the result, null for rows with a problem."""
        pa = import_pyarrow()
        explainer = self._explainer
        problems = find_row_problems(explainer.action_set_, rows, explainer.missing)
        problems |= known
        fine = np.setdiff1d(np.arange(len(rows)), list(problems))
        parts, done = [], []
        for positions, outcome in self._results(rows, fine):
            if isinstance(outcome, RowProblem):
                problems[int(positions[0])] = outcome
            else:
                parts.append(outcome)
                done.append(positions)
        names = self.schema.names[len(self.id_columns) + len(self.keep_columns) + 1 :]
        kinds = pa.schema([self.schema.field(name) for name in names])
        scored = pa.concat_tables([kinds.empty_table(), *parts])
        where = np.full(len(rows), len(scored))
        if done:
            where[np.concatenate(done)] = np.arange(len(scored))
        take = pa.array(where, mask=where == len(scored))
        scored = scored.take(take)
        if "status" in names and any(p.of_constraint for p in problems.values()):
            scored = _with_invalid(scored, problems)
        return scored, problems

    def _results(
        self, rows: Any, positions: IndexArray
    ) -> Iterator[tuple[IndexArray, Any]]:
        """Yield positions of rows with their results, or one with its problem.

        Rows for which the model raises an error are found by halving.
        """
        if not len(positions):
            return
        try:
            some = rows if len(positions) == len(rows) else take_rows(rows, positions)
            result = self._columns(some)
        except (MemoryError, ImportError):
            raise
        except Exception as error:  # of the model, which may raise anything
            if len(positions) == 1:
                yield positions, RowProblem(error_text(error), False)
                return
            for half in np.array_split(positions, 2):
                yield from self._results(rows, half)
            return
        yield positions, result

    def _columns(self, rows: Any) -> Any:
        """Return the columns of the result for rows without a problem."""
        pa = import_pyarrow()
        needs = {OUTPUTS[name].needs for name in self.outputs}
        explainer = self._explainer
        results = Results(
            explainer.explain(rows) if "explanation" in needs else None,
            explainer.verify(rows) if "verdicts" in needs else None,
            self._features,
            self.top_k,
        )
        columns: dict[str, NDArray[Any]] = {"at_target": results.at_target}
        for name in self.outputs:
            columns |= OUTPUTS[name].columns(results)
        schema = pa.schema([self.schema.field(name) for name in columns])
        arrays = [
            values
            if isinstance(values, pa.Array)
            else pa.array(values, type=schema.field(name).type, from_pandas=True)
            for name, values in columns.items()
        ]
        return pa.Table.from_arrays(arrays, schema=schema)


_PARAMETERS = ("explainer", "outputs", "id_columns", "keep_columns", "top_k")


def _with_invalid(scored: Any, problems: Mapping[int, RowProblem]) -> Any:
    """Return the table with the status of rows that break a constraint."""
    pa = import_pyarrow()
    status = scored.column("status").to_pylist()
    for i, problem in problems.items():
        if problem.of_constraint:
            status[i] = "invalid"
    position = scored.schema.get_field_index("status")
    return scored.set_column(position, "status", pa.array(status, type=pa.string()))
