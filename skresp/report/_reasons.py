"""Reasons for denial as the sample forms of Regulation B word them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

# Sample form C-1 of 12 CFR 1002, appendix C, part I, in its order; the form also has
# "Other, specify".
C1_REASONS: Mapping[int, str] = MappingProxyType(
    dict(
        enumerate(
            (
                "Credit application incomplete",
                "Insufficient number of credit references provided",
                "Unacceptable type of credit references provided",
                "Unable to verify credit references",
                "Temporary or irregular employment",
                "Unable to verify employment",
                "Length of employment",
                "Income insufficient for amount of credit requested",
                "Excessive obligations in relation to income",
                "Unable to verify income",
                "Length of residence",
                "Temporary residence",
                "Unable to verify residence",
                "No credit file",
                "Limited credit experience",
                "Poor credit performance with us",
                "Delinquent past or present credit obligations with others",
                "Collection action or judgment",
                "Garnishment or attachment",
                "Foreclosure or repossession",
                "Bankruptcy",
                "Number of recent inquiries on credit bureau report",
                "Value or type of collateral not sufficient",
            ),
            start=1,
        )
    )
)


def check_reasons(
    reasons: Mapping[str, str | int] | None, features: Sequence[str]
) -> dict[str, tuple[str, int | None]]:
    """For each feature of the table its text, and its code where it was one."""
    out: dict[str, tuple[str, int | None]] = {}
    if reasons is not None and not isinstance(reasons, Mapping):
        raise TypeError(
            f"reasons must be a mapping from feature to text or code, got {reasons!r}."
        )
    for name, reason in (reasons or {}).items():
        if name not in features:
            raise ValueError(
                f"reasons names {name!r}, which is no feature; there are "
                f"{', '.join(features)}."
            )
        if isinstance(reason, str) and reason.strip():
            out[name] = reason, None
        elif not isinstance(reason, bool) and reason in C1_REASONS:
            out[name] = C1_REASONS[int(reason)], int(reason)
        else:
            raise ValueError(
                f"reasons[{name!r}] must be a text, or a code from 1 to "
                f"{len(C1_REASONS)} of skresp.report.C1_REASONS, got {reason!r}."
            )
    return out
