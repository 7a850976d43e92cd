"""Files of action sets, YAML or JSON.

Errors name the file, and the line or the entry.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import yaml


def read_file(path: str | os.PathLike[str]) -> Any:
    """Return the values in a YAML or JSON file."""
    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(
            f"There is no file {file}. Write one with ActionSet.infer(X).to_file(path)."
        )
    text = file.read_text(encoding="utf-8")
    if _is_yaml(file):
        try:
            return yaml.load(text, Loader=_Loader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = f", line {mark.line + 1}" if mark else ""
            raise ValueError(f"{file}{where}: {error.problem}.") from None
    try:
        return json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise ValueError(f"{file}, line {error.lineno}: {error.msg}.") from None


def write_file(path: str | os.PathLike[str], value: Any) -> None:
    """Write values to a YAML or JSON file."""
    file = Path(path)
    if _is_yaml(file):
        text = yaml.dump(
            value,
            Dumper=_Dumper,
            sort_keys=False,
            allow_unicode=True,
            default_flow_style=None,
            width=100,
        )
    else:
        text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    file.write_text(text, encoding="utf-8")


def _is_yaml(file: Path) -> bool:
    if file.suffix in (".yaml", ".yml"):
        return True
    if file.suffix == ".json":
        return False
    raise ValueError(
        f"The suffix of the file {file.name!r} must be .yaml, .yml or .json, got "
        f"{file.suffix!r}."
    )


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"The key {key!r} occurs twice. Keep one of them.")
    return dict(pairs)


class _Loader(yaml.SafeLoader):
    """YAML in which `yes` and `no` are strings and 1e5 is a number.

    PyYAML follows YAML 1.1, which reads yes, no, on and off as booleans and 1e5 as a
    string. PyYAML also accepts a repeated key without an error.
    """

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} occurs twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """The inverse of `_Loader`: reading back what it writes gives equal values."""


_BOOL = "tag:yaml.org,2002:bool"
_FLOAT = "tag:yaml.org,2002:float"
for _class in (_Loader, _Dumper):
    _class.yaml_implicit_resolvers = {
        first: [(tag, rule) for tag, rule in rules if tag not in (_BOOL, _FLOAT)]
        for first, rules in _class.yaml_implicit_resolvers.items()
    }
    _class.add_implicit_resolver(
        _BOOL, re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
    )
    _class.add_implicit_resolver(
        _FLOAT,
        re.compile(
            r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$"
            r"|^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$"
        ),
        list("-+0123456789."),
    )
