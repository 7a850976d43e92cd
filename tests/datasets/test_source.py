"""Files first, then OpenML; where there is neither, the error says what to do."""

from __future__ import annotations

import gzip
import hashlib
import json
import urllib.request

import pandas as pd
import pytest

from skresp.datasets import fetch_german, fetch_givemecredit, fetch_heloc

FETCHERS = {
    fetch_german: "german/german.data",
    fetch_heloc: "heloc/heloc_dataset_v1.csv",
    fetch_givemecredit: "givemecredit/cs-training.csv",
}


@pytest.fixture
def no_network():
    """Every request goes to a closed port."""
    nowhere = {"http": "http://127.0.0.1:9", "https": "http://127.0.0.1:9"}
    handler = urllib.request.ProxyHandler(nowhere)
    urllib.request.install_opener(urllib.request.build_opener(handler))
    yield
    urllib.request.install_opener(None)


@pytest.mark.parametrize("fetch", FETCHERS, ids=lambda f: f.__name__)
def test_without_a_file_the_error_says_where_to_get_it(fetch, monkeypatch, tmp_path):
    monkeypatch.delenv("SKRESP_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="SKRESP_DATA is not set") as found:
        fetch(download_if_missing=False)
    text = str(found.value)
    assert f"save it as {FETCHERS[fetch]} in a folder" in text
    assert any(name in text for name in ("UCI", "FICO", "Kaggle"))
    with pytest.raises(FileNotFoundError, match="does not exist") as found:
        fetch(data_home=tmp_path, download_if_missing=False)
    assert str(tmp_path / FETCHERS[fetch]) in str(found.value)


@pytest.mark.filterwarnings("ignore:A network error occurred")
def test_without_file_and_network_one_error_names_both(no_network, tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist") as found:
        fetch_german(data_home=tmp_path)
    text = str(found.value)
    assert "The copy on OpenML (credit-g, id 31) could not be downloaded either" in text
    assert "save it as german/german.data" in text


def test_an_unknown_variant_is_named_before_anything_is_read(monkeypatch):
    monkeypatch.delenv("SKRESP_DATA", raising=False)
    for fetch in FETCHERS:
        with pytest.raises(ValueError, match=r"must be one of 'paper', .*got 'x'"):
            fetch(variant="x")


@pytest.mark.data
@pytest.mark.parametrize("variant", ["paper", "raw"])
def test_german_from_openml_is_german_from_its_file(
    variant, raw_data, no_network, tmp_path
):
    arff = (raw_data / "german" / "credit-g.arff").read_bytes()
    _put_in_cache(tmp_path, 31, "class", arff)
    _assert_same(
        fetch_german(data_home=tmp_path, variant=variant),
        fetch_german(data_home=raw_data, variant=variant),
    )


@pytest.mark.data
@pytest.mark.parametrize("variant", ["paper", "raw"])
def test_heloc_from_openml_is_heloc_from_its_file(
    variant, raw_data, no_network, tmp_path
):
    rows = pd.read_csv(raw_data / "heloc" / "heloc_dataset_v1.csv").head(400)
    (tmp_path / "file" / "heloc").mkdir(parents=True)
    rows.to_csv(tmp_path / "file" / "heloc" / "heloc_dataset_v1.csv", index=False)
    _put_in_cache(tmp_path, 46932, "RiskPerformance", _arff(rows))
    _assert_same(
        fetch_heloc(data_home=tmp_path, variant=variant),
        fetch_heloc(data_home=tmp_path / "file", variant=variant),
    )


@pytest.mark.data
@pytest.mark.parametrize("variant", ["paper", "continuous", "raw"])
def test_givemecredit_from_openml_is_givemecredit_from_its_file(
    variant, raw_data, no_network, tmp_path
):
    rows = pd.read_csv(
        raw_data / "givemecredit" / "cs-training.csv", index_col=0, nrows=400
    )
    (tmp_path / "file" / "givemecredit").mkdir(parents=True)
    rows.to_csv(tmp_path / "file" / "givemecredit" / "cs-training.csv", na_rep="NA")
    label = "FinancialDistressNextTwoYears"
    theirs = rows.rename(columns={"SeriousDlqin2yrs": label})
    theirs[label] = theirs[label].map({0: "No", 1: "Yes"})
    _put_in_cache(tmp_path, 46929, label, _arff(theirs))
    _assert_same(
        fetch_givemecredit(data_home=tmp_path, variant=variant),
        fetch_givemecredit(data_home=tmp_path / "file", variant=variant),
    )


def _assert_same(ours, theirs):
    pd.testing.assert_frame_equal(ours.frame, theirs.frame)
    assert ours.action_set == theirs.action_set


def _arff(frame):
    """The frame as an ARFF file, with labels for what is not a number."""
    lines = ["@relation made"]
    for name, column in frame.items():
        numeric = pd.api.types.is_numeric_dtype(column)
        kind = "numeric" if numeric else f"{{{','.join(sorted(column.unique()))}}}"
        lines.append(f"@attribute '{name}' {kind}")
    body = frame.to_csv(index=False, header=False, na_rep="?")
    return "\n".join([*lines, "@data", body]).encode()


def _put_in_cache(home, number, target, arff):
    """What scikit-learn keeps of a data set it has downloaded once."""
    features = []
    for line in arff.decode().splitlines():
        if line.lower().startswith("@attribute"):
            name = line.split()[1].strip("'")
            features.append(
                {
                    "index": str(len(features)),
                    "name": name,
                    "data_type": "nominal" if "{" in line else "numeric",
                    "is_target": str(name == target).lower(),
                    "is_ignore": "false",
                    "is_row_identifier": "false",
                    "number_of_missing_values": "0",
                }
            )
            if "{" in line:
                inside = line[line.index("{") + 1 : line.rindex("}")]
                labels = [label.strip().strip("'") for label in inside.split(",")]
                features[-1]["nominal_value"] = labels
    description = {
        "id": str(number),
        "name": "made",
        "version": "1",
        "status": "active",
        "format": "ARFF",
        "description": "made",
        "file_id": str(number),
        "url": f"https://www.openml.org/data/v1/download/{number}",
        "md5_checksum": hashlib.md5(arff).hexdigest(),
    }
    api = "api/v1/json/data"
    for path, content in {
        f"{api}/{number}": {"data_set_description": description},
        f"{api}/features/{number}": {"data_features": {"feature": features}},
        f"{api}/qualities/{number}": {"data_qualities": {"quality": []}},
        f"data/v1/download/{number}": arff,
    }.items():
        file = home / "openml" / "openml.org" / f"{path}.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        plain = content if isinstance(content, bytes) else json.dumps(content).encode()
        file.write_bytes(gzip.compress(plain))
