"""Publications of an API in memory, counted."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.services.publication import PublicationOutcome
from tests.support.api import MemoryApi


class Publications:
    """Counts what is published; `outcome` replaces the publication."""

    def __init__(self, api: MemoryApi, monkeypatch: pytest.MonkeyPatch) -> None:
        publish = type(api.management.publication).publish
        self.count = 0
        self.outcome: PublicationOutcome | None = None

        def counted(publication: Any, shop_id: str) -> PublicationOutcome:
            self.count += 1
            return self.outcome or publish(publication, shop_id)

        monkeypatch.setattr(type(api.management.publication), "publish", counted)
