"""The page in a real browser: nothing fails, nothing leaves, nothing strange runs."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path

import pytest

from skresp.report import AuditReport
from tests.credit_example import lender
from tests.report.audit.strange_names import strange_report

pytestmark = pytest.mark.browser

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1200,900",
)


def open_browser(profile: Path, scripts: bool = True):
    webdriver = pytest.importorskip("selenium.webdriver")
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not binary or not driver:
        warnings.warn(
            "chromium or chromedriver is missing: the page is not tested in a browser.",
            stacklevel=1,
        )
        pytest.skip("chromium and chromedriver are needed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    if not scripts:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": 2}
        )
    service = webdriver.ChromeService(driver)
    return webdriver.Chrome(options=options, service=service)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = open_browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    us = lender()
    made = AuditReport.from_estimator(us.explainer, us.X, groups="sex")
    made.to_file(folder / "audit.html")
    strange_report().to_file(folder / "strange.html")
    return folder


def asked_for(browser) -> set[str]:
    """Every address that the browser asked for since it was last asked."""
    found = set()
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            found.add(message["params"]["request"]["url"])
    return found


@pytest.mark.parametrize("name", ["audit.html", "strange.html"])
@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_alone_and_without_complaint(browser, pages, name, width, scheme):
    browser.get_log("browser")
    asked_for(browser)
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    address = (pages / name).as_uri()
    browser.get(address)
    assert browser.get_log("browser") == []
    assert asked_for(browser) == {address}
    # Only tables scroll sideways, within themselves.
    wide = "return document.documentElement.scrollWidth"
    assert browser.execute_script(wide) <= width
    paper, ink = browser.execute_script(
        "const s = getComputedStyle(document.documentElement);"
        "return [s.backgroundColor, s.color]"
    )
    light, dark = (paper, ink) if scheme == "light" else (ink, paper)
    assert _brightness(light) > 200 > 60 > _brightness(dark)


def test_long_names_leave_room_for_numbers_on_a_phone(browser, pages):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": True},
    )
    browser.get((pages / "audit.html").as_uri())
    right = browser.execute_script(
        "const rows = [...document.querySelectorAll('#features tbody tr')];"
        "rows.forEach(r => r.cells[0].textContent ="
        " 'NumBank2NatlTradesWHighUtilization_geq_2');"
        "return Math.max(...rows.map(r => r.cells[2].getBoundingClientRect().right))"
    )
    assert right <= 390


def test_print_shows_repeated_heads_and_closed_details(browser, pages):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        browser.get((pages / "audit.html").as_uri())
        # Chromium does not draw the box of a button in a head that it repeats.
        boxes = browser.execute_script(
            "return [...document.querySelectorAll('th button')]"
            ".map(b => getComputedStyle(b).display)"
        )
        assert set(boxes) == {"contents"}
        heights = browser.execute_script(
            "return [...document.querySelectorAll('details:not([open]) table')]"
            ".map(t => t.getBoundingClientRect().height)"
        )
        assert heights
        assert min(heights) > 50
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def _brightness(colour: str) -> float:
    numbers = [float(v) for v in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    return sum(numbers) / 3


def test_nothing_strange_runs(browser, pages):
    browser.get((pages / "strange.html").as_uri())
    assert browser.title.startswith("<script>")
    assert "owned" in browser.title  # the text itself, not what it would do
    assert browser.execute_script("return document.scripts.length") == 1
    assert browser.execute_script("return document.images.length") == 0


def test_the_policy_stops_what_escaping_would_miss(browser, pages, tmp_path):
    page = (pages / "audit.html").read_text(encoding="utf-8")
    evil = "<script>document.title='owned'</script><img src='https://example.org/x'>"
    (tmp_path / "evil.html").write_text(page.replace("<main>", f"<main>{evil}"))
    browser.get_log("browser")
    browser.get((tmp_path / "evil.html").as_uri())
    assert browser.title != "owned"
    messages = " ".join(entry["message"] for entry in browser.get_log("browser"))
    assert "Content Security Policy" in messages
    asked_for(browser)


def test_tables_sort_both_ways_and_filter(browser, pages):
    browser.get((pages / "audit.html").as_uri())
    table = "#features table"

    def column(place: int) -> list[str]:
        return browser.execute_script(
            f"return [...document.querySelectorAll('{table} tbody tr')]"
            f".filter(r => !r.hidden).map(r => r.cells[{place}].textContent)"
        )

    heads = browser.find_elements("css selector", f"{table} thead button")
    before = column(0)

    def means() -> list[float]:
        """Return the mean scores; -1 where nobody can change the feature."""
        return [-1 if text == "–" else float(text.strip("<")) for text in column(3)]

    heads[3].click()
    assert means() == sorted(means(), reverse=True)
    heads[3].click()
    assert means() == sorted(means())
    assert -1 in means()
    heads[0].click()
    assert column(0) == sorted(before, key=str.lower, reverse=True)
    browser.find_element("css selector", "#features input").send_keys("LOAN")
    assert sorted(column(0)) == ["loan_amount", "loan_months"]


def test_it_can_be_read_with_scripts_off(pages, tmp_path):
    quiet = open_browser(tmp_path / "profile", scripts=False)
    try:
        quiet.get((pages / "audit.html").as_uri())
        text = quiet.find_element("css selector", "body").text
        assert not quiet.find_elements("css selector", "th button, input")
        for words in ("Which single changes work", "checking_account", "How this was"):
            assert words in text
        details = quiet.find_element("css selector", "#examples details")
        details.find_element("css selector", "summary").click()
        assert "late_payments" in details.text
    finally:
        quiet.quit()
