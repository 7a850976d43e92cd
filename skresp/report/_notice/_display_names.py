"""Display names of features in a notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def display_names(
    features: Sequence[str],
    *,
    names: Mapping[str, str] | None = None,
    reasons: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the name to print for each feature; `reasons` come before `names`."""
    out = {name: name for name in features}
    for what, given in (("names", names), ("reasons", reasons)):
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(
                f"{what} must be a mapping from feature to display name, got {given!r}."
            )
        for name, text in (given or {}).items():
            if name not in out:
                raise ValueError(
                    f"{what} has {name!r}, which is not a feature. The features are "
                    f"{', '.join(features)}."
                )
            if not isinstance(text, str) or not text.strip():
                raise ValueError(
                    f"{what}[{name!r}] must be a display name, a text that is not "
                    f"empty, got {text!r}. Codes of denial reasons are not accepted: a "
                    f"notice lists what would work, not why the decision was made."
                )
            out[name] = text
    return out
