"""Datasets."""

from __future__ import annotations

from skresp.datasets import fetch_german, fetch_givemecredit, fetch_heloc, make_credit

from .attack import Attack

ATTACKS = [
    Attack(
        "no applicants",
        lambda w: make_credit(0),
        ValueError,
        "n_samples must be a whole number of at least 1, got 0.",
    ),
    Attack(
        "applicants as text",
        lambda w: make_credit("100"),
        ValueError,
        "n_samples must be a whole number of at least 1, got '100'.",
    ),
    Attack(
        "random_state is -1",
        lambda w: make_credit(10, random_state=-1),
        ValueError,
        (
            "random_state must be a whole number from 0 to 4294967295, a "
            "numpy RandomState or None, got -1."
        ),
    ),
    Attack(
        "unknown variant",
        lambda w: fetch_german(variant="papr"),
        ValueError,
        ("variant must be one of 'paper', 'raw', got 'papr'. Did you mean 'paper'?"),
    ),
    Attack(
        "unknown variant of HELOC",
        lambda w: fetch_heloc(variant=1),
        ValueError,
        "variant must be one of 'paper', 'raw', got 1.",
    ),
    Attack(
        "no files",
        lambda w: fetch_givemecredit(
            data_home=w.folder / "none", download_if_missing=False
        ),
        FileNotFoundError,
        (
            "Give Me Some Credit: .../none/givemecredit/cs-training.csv "
            "does not exist. It was not downloaded because of "
            "download_if_missing=False. Get cs-training.csv from Kaggle "
            "(the competition GiveMeSomeCredit), save it as "
            "givemecredit/cs-training.csv in a folder, and pass that "
            "folder as data_home or set SKRESP_DATA to it."
        ),
    ),
]
