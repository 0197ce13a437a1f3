"""Tracking source keys while the catalog does not respond."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from abtest.domain.credentials.api_keys import SECRET_LENGTH, compose, digest
from abtest.edge.ingest_auth import KEY_REMEMBERED, KEY_SERVED, TrackingKeys
from abtest.kit.clock import ManualClock
from abtest.kit.errors import DatabaseBusyError

KEY, OTHER = (compose("tracking_source", id_, "0" * SECRET_LENGTH) for id_ in ("0123456789ab", "ba9876543210"))


class Claims:
    """The catalog's claims; None while it does not respond."""

    def __init__(self) -> None:
        self.known: dict[str, Mapping[str, str | None]] | None = {}

    def __call__(self, name: str) -> Mapping[str, str | None] | None:
        if self.known is None:
            raise DatabaseBusyError
        return next((each for end, each in self.known.items() if name.endswith(end)), None)


@pytest.fixture
def claims() -> Claims:
    made = Claims()
    made.known = {"0123456789ab": {"sha256": digest(KEY), "shop_id": "shop", "revoked_at": None, "expires_at": None}}
    return made


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 2, tzinfo=UTC))


def test_key__known_before_the_catalog_went_silent__is_accepted_for_an_hour(claims: Claims, clock: ManualClock) -> None:
    keys = TrackingKeys(claims, clock)
    assert keys.shop_of(KEY) == "shop"
    claims.known = None
    clock.advance(seconds=KEY_REMEMBERED.total_seconds())
    assert keys.shop_of(KEY) == "shop"
    clock.advance(seconds=(KEY_SERVED - KEY_REMEMBERED).total_seconds())
    with pytest.raises(DatabaseBusyError):
        keys.shop_of(KEY)


def test_key__revoked_meanwhile__is_refused_once_the_catalog_responds(claims: Claims, clock: ManualClock) -> None:
    keys = TrackingKeys(claims, clock)
    assert keys.shop_of(KEY) == "shop"
    clock.advance(minutes=30)
    claims.known = {}
    assert keys.shop_of(KEY) is None


def test_key__unknown_or_never_seen__is_not_refused_while_the_catalog_is_silent(
    claims: Claims, clock: ManualClock
) -> None:
    keys = TrackingKeys(claims, clock)
    assert keys.shop_of(OTHER) is None
    claims.known = None
    clock.advance(minutes=2)
    for key in (KEY, OTHER):
        with pytest.raises(DatabaseBusyError):
            keys.shop_of(key)


def test_optional_claim__absent_before_the_catalog_went_silent__is_absent_for_an_hour(
    claims: Claims, clock: ManualClock
) -> None:
    keys = TrackingKeys(claims, clock)
    assert keys.claim("epochs", is_optional=True) is None
    claims.known = None
    clock.advance(minutes=2)
    assert keys.claim("epochs", is_optional=True) is None
    clock.advance(seconds=KEY_SERVED.total_seconds())
    with pytest.raises(DatabaseBusyError):
        keys.claim("epochs", is_optional=True)
