"""As many distinct events come out of the ledger as went in, repeats not counted: `make soak`, smaller."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.sizes import sized
from tools.soak.run import soak
from tools.soak.shoppers import Shopfront

EVENTS = sized(20_000, 5_000)


@pytest.mark.stack
def test_soak__of_thousands_of_events__finds_exactly_as_many(stack: dict[str, Any]) -> None:
    seen: list[int] = []
    outcome = soak(stack, Path(stack["directory"]), EVENTS, seen.append, lambda _line: None)
    assert (outcome.sent.distinct, outcome.raw.distinct, outcome.parquet.distinct) == (EVENTS, EVENTS, EVENTS)
    assert outcome.sent.events > 1.045 * EVENTS
    assert outcome.raw.rows > EVENTS, "requests that were sent twice stand in the ledger twice"
    assert sum(seen) == EVENTS


def test_load__on_another_machine__is_refused() -> None:
    with pytest.raises(ValueError, match="this machine"):
        Shopfront("shop", "signature", "https://edge.example")
