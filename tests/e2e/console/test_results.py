"""Results in the console: the verdict, plots that are read by keys, and their numbers, which are those of the API."""

import csv
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import requests
import rich.console
from playwright.sync_api import Browser, expect

from tests.e2e.story import Story, new_shop
from tests.support.console_page import Console
from tools.local.demo import CART_EVENT, Shop, drive, shoppers
from tools.local.testing import settle

pytestmark = [pytest.mark.browser, pytest.mark.stack]

SHOPPERS = 1000
"""Fewer would not do for a look."""

HOURS = 5

GOALS = [
    {"name": "Added to cart", "type": "custom", "event_name": CART_EVENT, "is_primary": True},
    {"name": "Revenue", "type": "revenue"},
]
VARIATIONS = [
    {"name": "Control", "weight": 0.5, "is_control": True},
    {"name": "Warm", "weight": 0.5, "is_control": False},
]


@pytest.fixture(scope="module")
def shop(stack: dict[str, Any]) -> Story:
    """A shop of these stories."""
    return new_shop(Story(stack), "results.example")


@pytest.fixture(scope="module")
def looked(shop: Story) -> str:
    """A running experiment that was counted."""
    made = shop.call("POST", "/experiments", 201, name="A warmer headline", goals=GOALS, variations=VARIATIONS)
    experiment_id: str = made["id"]
    shop.call("POST", f"/experiments/{experiment_id}/launch", override_checklist_warnings=True)
    simulated = Shop(shop.dev, requests.Session())
    visits = partial(shoppers, chance=random.Random(7))
    drive(simulated, experiment_id, visits, SHOPPERS, rich.console.Console(quiet=True))
    settle(shop.dev["directory"])
    return experiment_id


@pytest.fixture
def console(shop: Story, browser: Browser) -> Iterator[Console]:
    """The console of that shop."""
    page = Console(browser, shop)
    page.sign_in()
    yield page
    page.close()


def with_earlier_looks(report: Any) -> Any:
    """Return a report with looks of some hours before: a stack of a minute has the look of one hour only."""
    course = report["interval_over_time"]
    look = course["looks"][-1]
    now = datetime.fromisoformat(look["moment"])
    earlier = [
        {
            **look,
            "moment": (now - timedelta(hours=hours)).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "visitors": look["visitors"] // (hours + 1),
            "treatments": [
                {**one, "difference": one["difference"] / (hours + 1), "lower": one["lower"] * (hours + 1)}
                for one in look["treatments"]
            ],
        }
        for hours in range(HOURS, 0, -1)
    ]
    return {**report, "interval_over_time": {**course, "looks": [*earlier, look]}}


def rows_of(console: Console, figure: str, directory: Path) -> Sequence[Mapping[str, str]]:
    """Return the rows of the file that a figure's button saves."""
    with console.page.expect_download() as saved:
        console.click(f"{figure}: download CSV")
    path = directory / saved.value.suggested_filename
    saved.value.save_as(path)
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_results__of_a_counted_experiment__are_read_by_keys_as_a_table_and_as_a_file(
    console: Console, looked: str, tmp_path: Path
) -> None:
    page = console.page
    report = with_earlier_looks(console.api("GET", f"/experiments/{looked}/report"))
    looks = report["interval_over_time"]["looks"]
    page.route("**/report?format=json", lambda route: route.fulfill(json=report))
    console.open(f"/experiments/{looked}/results")
    expect(page.locator(".verdict .sentence")).to_contain_text(report["verdict"]["sentence"])

    reader = page.get_by_role("slider", name="Read Warm: interval over time")
    reader.focus()
    for key, look in (("Home", looks[0]), ("ArrowRight", looks[1]), ("End", looks[-1])):
        page.keyboard.press(key)
        difference = f"{look['treatments'][0]['difference'] * 100:+.2f}\u00a0pp"
        spoken = reader.get_attribute("aria-valuetext") or ""
        assert f"{look['visitors']:,} visitors" in spoken
        assert difference in spoken
        expect(page.locator(".reading").first).to_contain_text(difference)

    console.click("Warm: interval over time: show as a table")
    table = page.get_by_role("table", name="Warm: interval over time")
    expect(table.get_by_role("row")).to_have_count(1 + len(looks))
    saved = rows_of(console, "Warm: interval over time", tmp_path)
    assert [(int(row["Visitors"]), float(row["Difference"]), float(row["Lower end"])) for row in saved] == [
        (look["visitors"], look["treatments"][0]["difference"], look["treatments"][0]["lower"]) for look in looks
    ]

    by_day = rows_of(console, "Added to cart: cumulative", tmp_path)
    buckets = report["curves"]["data"]
    assert [(row["Day"], int(row["Visitors"]), float(row["conversion rate"])) for row in by_day] == [
        (bucket["date"], row["visitors"], row["rate"]) for bucket in buckets for row in bucket["goals"][0]["rows"]
    ]
    everything = rows_of(console, "All numbers, unrounded", tmp_path)
    assert [float(row["mean"]) for row in everything] == [
        row["mean"] for goal in report["goals"] for row in goal["rows"]
    ]


def test_visitors_by_day__read_by_keys__are_those_of_the_api(console: Console, looked: str) -> None:
    console.open("/traffic")
    days = console.api("GET", "/analytics/stats")["data"]
    reader = console.page.get_by_role("slider", name="Read Visitors by day")
    reader.focus()
    for key, day in (("End", days[-1]), ("ArrowLeft", days[-2]), ("Home", days[0])):
        console.page.keyboard.press(key)
        expect(reader).to_have_attribute("aria-valuetext", re.compile(f"Visitors {day['visitors']:,.0f}$"))
    assert days[-1]["visitors"] == SHOPPERS


def test_results__by_another_engine_before_the_end__carry_a_caution_and_stand_in_the_address(
    console: Console, looked: str
) -> None:
    console.open(f"/experiments/{looked}/results")
    console.field("Engine").select_option("frequentist")
    caution = console.page.get_by_text("Do not decide by these numbers.")
    expect(caution).to_be_visible()
    assert console.page.url.endswith("/results?engine=frequentist")
    console.page.reload()
    expect(caution).to_be_visible()
    console.click("Back to the report")
    expect(caution).to_have_count(0)


def test_overview__of_what_runs__has_the_verdict_and_can_hang_on_a_wall(console: Console, looked: str) -> None:
    console.open()
    page = console.page
    row = console.api("GET", "/analytics/overview")["data"][0]
    card = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="A warmer headline"))
    expect(card).to_contain_text(row["verdict"]["sentence"])
    expect(card).to_contain_text(f"{row['visitors']:,} visitors")
    console.click("Wall", role="link")
    expect(page.get_by_role("navigation", name="Screens")).to_be_hidden()
    expect(card).to_contain_text(row["verdict"]["sentence"])
    page.keyboard.press("Escape")
    expect(page.get_by_role("navigation", name="Screens")).to_be_visible()
    card.get_by_role("link", name="A warmer headline").click()
    expect(page).to_have_url(f"{console.root}/console/{console.shop_id}/experiments/{looked}/results")


def test_planning__of_a_rate__has_the_sample_of_the_api(console: Console) -> None:
    console.open("/planning?rate=3&change=10&daily=4000&engine=fixed")
    body = {"baseline_rate": 0.03, "mde": 0.1, "daily_visitors": 4000, "treatments": 1}
    size = console.api("POST", "/sample-size", 200, **body)
    expect(console.page.locator(".calculated .figures")).to_contain_text(f"{size['required_total_visitors']:,}")
    console.field("Smallest change that matters").fill("0")
    console.click("Compute")
    expect(console.page.get_by_label("Smallest change that matters")).to_be_focused()
