"""docs/webhooks.md says of events, headers, times and limits what the code does."""

import re
from datetime import timedelta
from pathlib import Path
from typing import get_args

from abtest.domain.webhooks import deliveries, endpoint, envelope
from abtest.domain.webhooks.catalogue import EVENTS
from abtest.domain.webhooks.health import DISABLED_AFTER
from abtest.services.webhooks import attempts, drain
from abtest.services.webhooks.overdue import PATIENCE

PAGE = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text()
ORDINALS = {3: "Three"}


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under the header row that begins so."""
    table = re.search(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert table, heading
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table[1].splitlines()]


def whole_seconds(duration: timedelta) -> int:
    return duration // timedelta(seconds=1)


def test_page__events__are_those_of_the_catalogue_in_its_words() -> None:
    assert rows("event") == [[f"`{event.name}`", event.description] for event in EVENTS.values()]


def test_page__headers__are_those_that_are_sent() -> None:
    secrets = [envelope.secret_of(bytes(32)), envelope.secret_of(bytes([1]) * 32)]
    sent = envelope.headers(b"{}", event="experiment.started", delivery_id="1", at=1, secrets=secrets)
    told = {name for names, _ in rows("header") for name in re.findall("`(.+?)`", names)}
    assert told == set(sent)
    assert f"| `User-Agent` | `{sent['User-Agent']}` |" in PAGE


def test_page__statuses__are_those_of_deliveries() -> None:
    assert [name.strip("`") for name, _ in rows("status of a delivery")] == list(get_args(deliveries.Status))


def test_page__attempts__begin_when_they_do() -> None:
    waits = [whole_seconds(deliveries.retry_delay(attempts)) for attempts in range(1, deliveries.MAX_ATTEMPTS)]
    told = [re.findall(r"(\d+) s", begins) for _, begins in rows("attempt")]
    assert told == [[], *[[str(wait)] for wait in waits]]
    assert f"That is {sum(waits)} seconds" in PAGE
    assert f"beyond {deliveries.LONGEST_RETRY // timedelta(minutes=1)} minutes" in PAGE
    assert f"{deliveries.STALE // timedelta(minutes=1)} to 12 minutes later" in PAGE
    assert deliveries.QUICK_LOSSES == 2
    assert "lost two workers in a row" in PAGE
    lost = deliveries.CLAIM_HELD + PATIENCE + timedelta(minutes=1)
    assert lost < timedelta(minutes=2)
    assert "within two minutes, and so do other deliveries" in PAGE
    assert timedelta(seconds=drain.LEASE_SECONDS + 60) < timedelta(minutes=2)


def test_page__limits__are_those_of_the_code() -> None:
    assert f"A shop has up to {endpoint.MAX_WEBHOOKS}" in PAGE
    assert f"**{ORDINALS[DISABLED_AFTER]} deliveries in a row" in PAGE
    assert f"At most {drain.AT_ONCE} requests" in PAGE
    assert f"longer than {whole_seconds(drain.SLOW)} seconds over them" in PAGE
    assert f"({_days(endpoint.DEFAULT_GRACE)} unless you say otherwise" in PAGE
    assert f"0 to {whole_seconds(endpoint.MAX_GRACE)})" in PAGE
    assert f"lost for {deliveries.KEPT.days} days" in PAGE


def test_page__reasons__are_those_that_are_told() -> None:
    reasons = (
        deliveries.DELETED,
        deliveries.DISABLED,
        deliveries.LOST,
        attempts.UNREADABLE_SECRET,
    )
    assert not [reason for reason in reasons if f"`{reason}`" not in PAGE]


def _days(duration: timedelta) -> str:
    return "a day" if duration == timedelta(days=1) else f"{duration.days} days"
