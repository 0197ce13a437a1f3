"""docs/parameters.md lists the parameters of template.yaml."""

import re
from argparse import ArgumentParser
from pathlib import Path

import pytest

from abtest.edge import limits as edge
from abtest.services import event_limits
from abtest.services.rate_limits import FAILURES_PER_WINDOW
from tests.support.template import TEMPLATE
from tools.local.options import declare, read
from tools.local.template.document import load

PAGE = Path(__file__).parents[3] / "docs" / "parameters.md"
TEXT = PAGE.read_text()
ROWS = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", TEXT, re.MULTILINE)
DOCUMENT = load(TEMPLATE)
PARAMETERS = DOCUMENT.parameters
GROUPS = {"Api": "functions of the management API", "Edge": "edge functions", "Cron": "scheduled functions"}
EVENTS = f"{event_limits.EVENTS_PER_WINDOW:,}"


def test_page__lists_every_parameter_in_order_with_its_default() -> None:
    documented = [(name, default) for name, default, _, _ in ROWS]
    assert documented == [(name, _default(each.get("Default"))) for name, each in PARAMETERS.items()]


def test_page__names_every_allowed_value() -> None:
    cells = {name: " ".join(texts) for name, *texts in ROWS}
    for name, each in PARAMETERS.items():
        choices = [value for value in each.get("AllowedValues", []) if value not in ("true", "false")]
        assert not [value for value in choices if value not in cells[name]], name


def functions(group: str) -> int:
    """The number of functions whose names begin so."""
    every = [name for name, each in DOCUMENT.resources.items() if each["Type"] == "AWS::Serverless::Function"]
    return len([name for name in every if name.startswith(group)])


@pytest.mark.parametrize("group", GROUPS)
def test_page__concurrency__counts_the_functions_of_the_template(group: str) -> None:
    cells = {name: description for name, _, description, _ in ROWS}
    assert f"for each of the {functions(group)} {GROUPS[group]}" in cells[f"{group}Concurrency"]


def test_page__concurrency__adds_up() -> None:
    assert " + ".join(f"{functions(group)} * {group}Concurrency" for group in GROUPS) in TEXT
    examples = re.findall(r"^\| ([\d,]+) \| (\d+) \| (\d+) \| (\d+) \| ([\d,]+) \|$", TEXT, re.MULTILINE)
    rows = [[int(cell.replace(",", "")) for cell in row] for row in examples]
    assert len(rows) == 2
    for quota, *reserved, left in rows:
        used = sum(functions(group) * each for group, each in zip(GROUPS, reserved, strict=True))
        assert (left, used <= quota - 300) == (quota - used, True)


@pytest.mark.parametrize(
    ("first", "limit"),
    [
        ("events of a shop", f"{EVENTS} a minute"),
        ("wrong keys from one address, by key id", f"{FAILURES_PER_WINDOW} a minute;"),
        ("snippets and configs from one address", f"{edge.REQUESTS_PER_WINDOW} a minute"),
        ("events of a shop from one address, browser signature", f"beyond {event_limits.ASSURED_PER_WINDOW} only"),
    ],
)
def test_page__limit_of_floods__is_that_of_the_code(first: str, limit: str) -> None:
    (cell,) = re.findall(rf"^\| {re.escape(first)} \| (.+?) \|", TEXT, re.MULTILINE)
    assert limit in cell


def test_page__limit_of_a_shop__comes_before_that_of_servers() -> None:
    assert PARAMETERS["ServerEventsPerMinute"]["Default"] == event_limits.EVENTS_PER_WINDOW
    assert f"The limit of a shop, {EVENTS}, comes first" in TEXT


def test_local_stack__values_of_its_own__are_in_its_readme() -> None:
    section = (PAGE.parents[1] / "tools/local/README.md").read_text().partition("## Unlike AWS")[2]
    parser = ArgumentParser()
    declare(parser)
    values = read(parser.parse_args([])).supplied_parameters()
    own = {name: value for name, value in values.items() if value != str(PARAMETERS[name]["Default"])}
    assert "BrowserEventsPerMinute" in own
    assert [name for name in own if f"`{name}`" not in section] == []
    numbers = {name: f"`{name}` is {int(value):,} instead of" for name, value in own.items() if value.isdigit()}
    assert [text for text in numbers.values() if text not in section] == []


def _default(value: object) -> str:
    return f"`{value}`" if value not in (None, "") else "empty"
