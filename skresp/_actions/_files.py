"""Files of action sets, YAML or JSON.

Errors name the file, and the line or the entry. Files may come from anybody: their
size and their nesting are limited, and YAML is read with a loader that makes plain
values only.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import yaml

from skresp._text import one_line, quote
from skresp._write import write_text

# 20,000 features take 2 MB. The form of an action set has 5 levels.
MAX_BYTES = 20_000_000
MAX_DEPTH = 20
# Names and values that are written in YAML, which takes 5 seconds for a million;
# 20,000 features have 300,000.
MAX_WRITTEN = 2_000_000
# Values after the aliases of YAML are replaced by what they stand for.
MAX_VALUES = 5_000_000


def read_file(path: str | os.PathLike[str]) -> Any:
    """Return the values in a YAML or JSON file."""
    file = _as_path(path)
    name = one_line(file)
    read = _read_yaml if _is_yaml(file) else _read_json
    text = _read_text(file)
    try:
        values = read(text)
        _check_size(values)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        problem = ", ".join(_short(t) for t in (error.context, error.problem) if t)
        raise ValueError(f"{name}{where}: {problem}.") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{name}, line {error.lineno}: {error.msg}.") from None
    except (ValueError, yaml.YAMLError) as error:
        raise ValueError(
            f"{name} cannot be read: {_short(str(error)).rstrip('.')}."
        ) from None
    return values


def _short(text: str) -> str:
    """Return the text of an error on one line, which may quote any part of a file."""
    line = one_line(" ".join(text[:10_000].split()))
    return line if len(line) <= 400 else f"{line[:300]}...{line[-80:]}"


def write_file(path: str | os.PathLike[str], value: Any) -> None:
    """Write values to a YAML or JSON file."""
    file = _as_path(path)
    text = file_text(file, value)
    if not file.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder {one_line(file.parent)} to write to. Create it first."
        )
    if file.is_dir():
        raise IsADirectoryError(
            f"{one_line(file)} is a folder. Pass the path of a file to write."
        )
    write_text(file, text)


def file_text(file: Path, value: Any) -> str:
    """Return values as the text of a file, in the format that its suffix stands for."""
    if not _is_yaml(file):
        return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=100,
    )
    return text


def _as_path(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be the path of a file, got {quote(path)}.")
    if "\0" in str(path):
        raise ValueError(
            f"path must be the path of a file, without NUL, got {quote(str(path))}."
        )
    return Path(path)


def _read_text(file: Path) -> str:
    name = one_line(file)
    if not file.exists():
        raise FileNotFoundError(
            f"There is no file {name}. Write one with ActionSet.infer(X).to_file(path)."
        )
    if not file.is_file():
        raise ValueError(f"{name} is not a file. Pass the path of an action set.")
    size = file.stat().st_size
    if size > MAX_BYTES:
        raise ValueError(
            f"{name} has {size:,} bytes; an action set has at most {MAX_BYTES:,}."
        )
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(
            f"{name} is not a text file in UTF-8. Save it in this encoding."
        ) from None
    except OSError as error:
        raise type(error)(f"{name} cannot be read: {error.strerror}.") from None


def _read_json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique_keys)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def _read_yaml(text: str) -> Any:
    # The loader recurses, and the one in C crashes where it is too deep.
    depth = values = 0
    for event in yaml.parse(text, Loader=_Loader):
        values += isinstance(event, yaml.NodeEvent)
        if values > MAX_WRITTEN:
            raise ValueError(_TOO_MANY)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ValueError(_TOO_DEEP)
    try:
        return yaml.load(text, Loader=_Loader)
    except (KeyError, IndexError, AttributeError, ArithmeticError):
        # PyYAML does not check the values after its tags.
        raise ValueError(
            "a value does not fit its tag, such as !!bool. Write it without a tag."
        ) from None


def _check_size(values: Any) -> None:
    """Raise ValueError if values are nested too deeply, or too many with repeats.

    Aliases share values, so a short file can contain any number of them.
    """
    sizes: dict[int, int] = {}

    def size_of(value: Any, depth: int) -> int:
        if not isinstance(value, (dict, list)):
            return 1
        if depth > MAX_DEPTH:
            raise ValueError(_TOO_DEEP)
        if id(value) not in sizes:
            items = value.values() if isinstance(value, dict) else value
            sizes[id(value)] = 1 + sum(size_of(item, depth + 1) for item in items)
        return sizes[id(value)]

    if size_of(values, 1) > MAX_VALUES:
        raise ValueError(
            f"with its aliases replaced it has more than {MAX_VALUES:,} values. Write "
            f"the values out where they are needed."
        )


_TOO_MANY = (
    f"it has more than {MAX_WRITTEN:,} names and values, which takes long to read from "
    f"YAML. Write so large an action set to a .json file."
)
_TOO_DEEP = (
    f"it is nested more than {MAX_DEPTH} levels deep. See ActionSet.to_file for the "
    f"form of an action set."
)


def _is_yaml(file: Path) -> bool:
    suffix = file.suffix.lower()
    if suffix in (".yaml", ".yml"):
        return True
    if suffix == ".json":
        return False
    raise ValueError(
        f"The suffix of the file {quote(file.name)} must be .yaml, .yml or .json, got "
        f"{quote(file.suffix)}."
    )


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise ValueError(f"The key {quote(key)} occurs twice. Keep one of them.")
        out[key] = value
    return out


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML in which `yes`, `no`, 010 and 1:30 are strings and 1e5 is a number.

    PyYAML follows YAML 1.1, which reads yes, no, on and off as booleans, 010 as 8, 1:30
    as 90 and 1e5 as a string. PyYAML also accepts a repeated key without an error.
    """

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _problem("a key must be a name or a number", key_node)
            if key_node.tag == _MERGE:
                raise _problem("'<<' is not supported, write the fields out", key_node)
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise _problem(f"the key {quote(key)} occurs twice", key_node)
            seen.add(key)
        return super().construct_mapping(node, deep)


def _problem(text: str, node: Any) -> Exception:
    return yaml.constructor.ConstructorError(None, None, text, node.start_mark)


class _Dumper(yaml.SafeDumper):
    """The inverse of `_Loader`: reading back what it writes gives equal values."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # PyYAML writes these line breaks as they are, and folds the spaces beside them.
    style = '"' if re.search("[\x85\u2028\u2029]", text) else None
    return dumper.represent_scalar(_STR, text, style)


_STR = "tag:yaml.org,2002:str"
_Dumper.add_representer(str, _represent_text)

_MERGE = "tag:yaml.org,2002:merge"
_BOOL = "tag:yaml.org,2002:bool"
_INT = "tag:yaml.org,2002:int"
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
# The dumper keeps its own rule, so that texts such as 010 are in quotes.
for _first, _rules in _Loader.yaml_implicit_resolvers.items():
    _Loader.yaml_implicit_resolvers[_first] = [r for r in _rules if r[0] != _INT]
_Loader.add_implicit_resolver(
    _INT, re.compile(r"^[-+]?(?:0|[1-9](?:_?[0-9])*)$"), list("-+0123456789")
)
