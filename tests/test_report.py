"""The report of a real campaign, opened in a real browser."""

import json
import re

import pytest
from browser import AVAILABLE, Browser

from benchmarks.cli import main

SUITE = """
summary = "two families, one with spanning jobs"
[limits]
time = 60
[[instances]]
family = "contended"
seeds = [0, 1]
set = { jobs = 4, servers = 2 }
[[instances]]
family = "sjf-trap"
set = { gpus = 4 }
[[methods]]
heuristic = "all"
[[methods]]
backend = "search"
"""

needs_browser = pytest.mark.skipif(not AVAILABLE, reason="no chromium with chromedriver")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    (folder / "small.toml").write_text(SUITE)
    assert main(["run", str(folder / "small.toml"), "--out", str(folder / "o"), "--json"]) == 0
    assert main(["report", str(folder / "o"), "--json"]) == 0
    return folder / "o" / "report"


@pytest.fixture(scope="module")
def browser(folder, tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        browser.open(folder / "report.html")
        yield browser


def test_the_page_is_one_file_without_outside_addresses(folder):
    text = (folder / "report.html").read_text()
    assert len(text) < 5_000_000
    addresses = set(re.findall(r"\w+://[^\s\"'<>]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=[\"'](?!data:)", text)


def test_tables_and_figures_are_files_too(folder):
    files = {path.suffix for path in folder.iterdir()}
    assert {".html", ".md", ".svg", ".csv", ".parquet"} <= files
    assert "sjf-bco" in (folder / "tables.md").read_text()


@needs_browser
def test_it_renders_and_the_console_is_clean(browser):
    assert browser.run("return document.querySelector('h1').textContent") == "small"
    for section in ("schedules", "tables", "disagreements", "rows", "about"):
        height = f"return document.getElementById('{section}').getBoundingClientRect().height"
        assert browser.run(height) > 20, section
    assert browser.run("return document.querySelectorAll('svg').length") > 3
    assert len(browser.picture()) > 20_000
    assert browser.console() == []


@needs_browser
def test_a_click_sorts_and_another_turns_round(browser):
    column = """
        const table = document.querySelector("#rows table");
        const at = [...table.tHead.rows[0].cells].findIndex(c => c.textContent == "makespan");
        table.tHead.rows[0].cells[at].firstChild.click();
        return [...table.tBodies[0].rows].map(r => Number(r.cells[at].textContent));
    """
    upwards, downwards = browser.run(column), browser.run(column)
    assert upwards == sorted(upwards) and len(set(upwards)) > 1
    assert downwards == sorted(upwards, reverse=True)
    assert browser.console() == []


@needs_browser
def test_choosing_an_instance_draws_its_schedules_on_one_axis(browser):
    def chosen(index):
        return browser.run(f"""
            const select = document.getElementById("instance");
            select.value = "{index}";
            select.dispatchEvent(new Event("change", {{bubbles: true}}));
            const charts = [...document.querySelectorAll("#gantt article")];
            return [document.getElementById("about-instance").textContent,
                    charts.map(chart => chart.querySelector("header").textContent),
                    charts.map(chart => chart.querySelector("svg").getAttribute("width"))];
        """)

    first, second = chosen(0), chosen(2)
    assert first != second
    for about, heads, widths in (first, second):
        assert "GPUs" in about
        assert any("optimum" in head for head in heads)
        assert sum("sjf-bco" in head for head in heads) >= 1
        assert len(set(widths)) == 1
    assert browser.console() == []


@needs_browser
def test_the_filter_hides_other_runs(browser):
    shown = browser.run("""
        const filter = document.getElementById("filter");
        filter.value = "sjf-bco trap";
        filter.dispatchEvent(new Event("input"));
        const rows = [...document.querySelectorAll("#rows tbody tr")];
        return [rows.length, rows.filter(row => !row.hidden).length];
    """)
    assert 0 < shown[1] < shown[0]


@needs_browser
def test_a_phone_needs_no_sideways_scrolling(folder, tmp_path):
    with Browser(tmp_path) as phone:
        phone.phone(390, 844)
        phone.open(folder / "report.html")
        assert phone.run("return document.documentElement.scrollWidth") <= 390


def test_a_disagreement_is_listed(folder, tmp_path):
    """A row that claims a bound above a checked makespan."""
    campaign = tmp_path / "o"
    campaign.mkdir()
    (campaign / "manifest.json").write_text((folder.parent / "manifest.json").read_text())
    for path in folder.parent.iterdir():
        if path.is_dir() and path.name != "report":
            (campaign / path.name).symlink_to(path)
    lines = (folder.parent / "rows.jsonl").read_text().splitlines()
    proven = next(row for row in map(json.loads, lines) if row["status"] == "optimal")
    lie = proven | {"bound": proven["makespan"] + 1, "makespan": None, "schedule": None}
    lie |= {"status": "no_solution", "method": proven["method"] | {"backend": "liar"}}
    (campaign / "rows.jsonl").write_text("\n".join([*lines, json.dumps(lie), ""]))
    assert main(["report", str(campaign), "--json"]) == 1
    page = (campaign / "report" / "report.html").read_text()
    assert "liar" in page[page.index('id="disagreements"') : page.index('id="rows"')]
