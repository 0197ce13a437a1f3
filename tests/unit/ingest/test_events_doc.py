"""What docs/events.md tells senders is what the code does."""

import io
import json
import re
import time
import urllib.request
from pathlib import Path
from typing import Any, get_args

import pytest

from abtest.domain.credentials.signing import ingest_secret, is_server_signature
from abtest.domain.ledger.events import Reason
from abtest.domain.ledger.line_items import NAMES
from abtest.domain.ledger.normalise import Arrival, Quarantine, normalise
from tests.unit.ingest.edge import ROOTS, SHOP

DOC = (Path(__file__).parents[3] / "docs" / "events.md").read_text()


def rows_under(heading: str) -> list[list[str]]:
    """Cells of the table whose first heading is this one."""
    table = DOC.split(f"| {heading} |")[1].split("\n\n")[0]
    return [line.strip("|").split(" | ") for line in table.splitlines()[2:]]


def test_reasons__of_the_code__are_all_told() -> None:
    told = [reason for first, _ in rows_under("reason") for reason in re.findall(r"`(\w+)`", first)]
    assert sorted(told) == sorted(get_args(Reason))


def test_item_names__of_the_code__are_told_in_their_order() -> None:
    rows = rows_under("property of the filter")
    told = {first.strip(" `"): tuple(re.findall(r"`([\w.]+)`", names)) for first, names in rows}
    assert told == dict(NAMES)


def test_example_batch__arriving_then__is_taken_in() -> None:
    batch = json.loads(re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)[0])
    arrival = Arrival(shop_id="s", received_at=batch["sentAt"], sent_at=batch["sentAt"])
    assert not [row for row in (normalise(event, arrival) for event in batch["events"]) if isinstance(row, Quarantine)]


def test_example_of_a_signature__is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[urllib.request.Request] = []

    def urlopen(request: urllib.request.Request) -> io.BytesIO:
        sent.append(request)
        return io.BytesIO(b"{}")

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    names: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", DOC, re.DOTALL)[0], names)
    names["send"]("https://edge.example", SHOP, ingest_secret(ROOTS, SHOP), [{"type": "pageview"}])
    signature, body = sent[0].headers["X-svc-signature"], sent[0].data
    assert isinstance(body, bytes)
    assert is_server_signature(ROOTS, SHOP, signature, body, int(time.time()))
    assert sent[0].headers["X-svc-shop"] == SHOP
