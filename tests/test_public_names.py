"""Public names: one list, every name documented, nothing exported by private code."""

from __future__ import annotations

import inspect
import pkgutil
import re
from importlib import import_module

import pytest

import skresp

PUBLIC = {
    "skresp": [
        "ActionSet",
        "AtLeast",
        "AtMost",
        "DecisionPolicy",
        "Explanation",
        "Feature",
        "LimeExplainer",
        "ResponsivenessExplainer",
        "ShapExplainer",
        "__version__",
        "constraints",
        "reach",
        "scores",
        "show_versions",
    ],
    "skresp.batch": ["BatchScorer", "score_files"],
    "skresp.constraints": [
        "Constraint",
        "IfThen",
        "Linear",
        "Linkage",
        "OneHot",
        "Ordinal",
        "Reachability",
        "Switch",
        "Thermometer",
    ],
    "skresp.datasets": [
        "fetch_german",
        "fetch_givemecredit",
        "fetch_heloc",
        "make_credit",
    ],
    "skresp.metrics": [
        "RecourseScorer",
        "compare_explainers",
        "explanation_summary",
        "recourse_summary",
        "responsiveness_by_rank",
    ],
    "skresp.model_selection": [
        "BestRecourse",
        "best_recourse_within",
        "threshold_curve",
        "trade_off",
    ],
    "skresp.plots": [
        "ComparisonDisplay",
        "LineDisplay",
        "PersonDisplay",
        "RankDisplay",
        "ResponsivenessDisplay",
        "ThresholdDisplay",
        "TradeOffDisplay",
    ],
    "skresp.reach": [
        "Outcome",
        "ReachCache",
        "ReachableSet",
        "check_feasibility",
        "reachable_set",
    ],
    "skresp.report": ["AuditReport", "Notice", "notice"],
    "skresp.scores": ["agresti_coull", "at_most", "sample_size"],
}
PACKAGES = sorted(
    module.name
    for module in pkgutil.walk_packages(skresp.__path__, "skresp.")
    if module.ispkg
)
PRIVATE = [name for name in PACKAGES if name not in PUBLIC]


def public_objects():
    """Return every public class and function, with its dotted name."""
    for package, names in PUBLIC.items():
        for name in names:
            thing = getattr(import_module(package), name)
            if callable(thing):
                yield pytest.param(thing, id=f"{package}.{name}")


def public_methods():
    """Return the public methods and properties that public classes define."""
    for public in public_objects():
        (owner,) = public.values
        for name, thing in vars(owner).items() if inspect.isclass(owner) else ():
            described = inspect.isroutine(thing) or isinstance(thing, property)
            if described and not name.startswith("_"):
                yield pytest.param(
                    inspect.getdoc(getattr(owner, name)), id=f"{public.id}.{name}"
                )


def names_defined_in(package):
    """Return the names that a package's `__init__` binds, other than submodules."""
    module = import_module(package)
    for name in dir(module):
        getattr(module, name)  # some are bound at the first use
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    )


def section(docstring, title):
    """Return the text of a numpydoc section, "" if there is none."""
    found = re.search(
        rf"^{title}\n-{{{len(title)}}}\n(.*?)(?=^\w[\w ]*\n---|\Z)",
        docstring,
        re.MULTILINE | re.DOTALL,
    )
    return found[1] if found else ""


@pytest.mark.parametrize("package", PUBLIC)
def test_public_packages_export_the_listed_names(package):
    exported = import_module(package).__all__
    assert exported == sorted(exported)
    assert exported == PUBLIC[package]


@pytest.mark.parametrize("package", PUBLIC)
def test_public_packages_define_no_other_name(package):
    listed = [
        name
        for name in PUBLIC[package]
        if not name.startswith("_") and f"{package}.{name}" not in PUBLIC
    ]
    assert names_defined_in(package) == listed


def test_no_public_name_hides_a_private_package():
    names = {f"{package}.{name}" for package in PUBLIC for name in PUBLIC[package]}
    assert names.isdisjoint(PRIVATE)


@pytest.mark.parametrize("package", PRIVATE)
def test_private_packages_export_nothing(package):
    assert not getattr(import_module(package), "__all__", [])
    assert set(names_defined_in(package)) <= {"annotations"}


def test_modules_outside_of_public_packages_are_private():
    modules = pkgutil.walk_packages(skresp.__path__, "skresp.")
    assert [m.name for m in modules if not m.ispkg and "._" not in m.name] == []


@pytest.mark.parametrize("thing", list(public_objects()))
def test_first_line_is_a_sentence(thing):
    lines = (thing.__doc__ or "").strip().splitlines()
    assert lines, "no docstring"
    assert lines[0].endswith("."), lines[0]
    assert lines[1:2] in ([], [""]), "no blank line after the first line"


@pytest.mark.parametrize("docstring", list(public_methods()))
def test_first_line_of_a_method_is_a_sentence(docstring):
    lines = (docstring or "").splitlines()
    assert lines, "no docstring"
    assert lines[0].endswith("."), lines[0]


@pytest.mark.parametrize("thing", list(public_objects()))
def test_docstring_has_the_numpydoc_sections(thing):
    docstring = inspect.cleandoc(thing.__doc__ or "")
    parameters = section(docstring, "Parameters")
    if inspect.isclass(thing):
        assert parameters or section(docstring, "Attributes")
    elif inspect.signature(thing).return_annotation not in (None, "None"):
        assert section(docstring, "Returns")
    if parameters or not inspect.isclass(thing):
        missing = [
            name
            for name in inspect.signature(thing).parameters
            if not name.startswith("_")
            and not re.search(rf"^[\w, *]*\b{name}\b[\w, ]*( :|$)", parameters, re.M)
        ]
        assert missing == []
