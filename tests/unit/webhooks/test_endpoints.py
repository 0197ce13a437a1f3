"""Endpoints: what they want, which secrets sign at a moment, how they bear up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from abtest.domain.webhooks import endpoint
from abtest.domain.webhooks.endpoint import MAX_GRACE, PreviousSecret, Sealed, Webhook, webhook_from
from abtest.domain.webhooks.health import DISABLED_AFTER, Health
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp, timestamp

START = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
FIRST, SECOND, THIRD = Sealed("first"), Sealed("second"), Sealed("third")


def at(seconds: float) -> Timestamp:
    """A moment so many seconds after the beginning."""
    return timestamp(START + timedelta(seconds=seconds))


def webhook() -> Webhook:
    """An endpoint that asked for one event."""
    return Webhook(
        id="0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2f",
        shop_id="shop",
        url="https://shop.example/hook",
        events=("experiment.started",),
        secret=FIRST,
        slot=3,
        created_at=at(0),
        updated_at=at(0),
    )


def test_wants__its_events_until_it_is_archived() -> None:
    assert webhook().wants("experiment.started")
    assert not webhook().wants("experiment.completed")
    assert not endpoint.archived(webhook(), "user", at(1)).wants("experiment.started")


def test_edited__nothing_different__is_the_very_same() -> None:
    before = webhook()
    assert endpoint.edited(before, at(1)) is before
    assert endpoint.edited(before, at(1), url=before.url, events=["experiment.started"], active=True) is before


def test_edited__some_fields__raises_the_version_once_and_leaves_the_rest() -> None:
    found = endpoint.edited(webhook(), at(1), events=["experiment.completed"], active=False)
    expected = replace(webhook(), events=("experiment.completed",), active=False, updated_at=at(1), version=2)
    assert found == expected


def test_secrets_at__never_rotated__the_one() -> None:
    assert webhook().secrets_at(at(0)) == (FIRST,)


def test_secrets_at__rotated_with_grace__both_with_the_newest_first_until_it_ends() -> None:
    found = endpoint.rotated(webhook(), SECOND, timedelta(seconds=60), at(10))
    assert found.previous == PreviousSecret(FIRST, at(70))
    assert [found.secrets_at(at(seconds)) for seconds in (10, 69.999, 70)] == [
        (SECOND, FIRST),
        (SECOND, FIRST),
        (SECOND,),
    ]
    assert (found.version, found.updated_at) == (2, at(10))


def test_secrets_at__rotated_without_grace__the_new_one_at_once() -> None:
    found = endpoint.rotated(webhook(), SECOND, timedelta(), at(10))
    assert (found.previous, found.secrets_at(at(10))) == (None, (SECOND,))


def test_rotated__twice_within_the_grace__the_first_secret_signs_no_more() -> None:
    once = endpoint.rotated(webhook(), SECOND, MAX_GRACE, at(0))
    assert endpoint.rotated(once, THIRD, MAX_GRACE, at(1)).secrets_at(at(2)) == (THIRD, SECOND)


def test_archived__is_off_for_good() -> None:
    found = endpoint.archived(webhook(), "user", at(5))
    assert (found.active, found.archived_at, found.archived_by, found.version) == (False, at(5), "user", 2)


@pytest.mark.parametrize(
    "made",
    [
        webhook(),
        endpoint.rotated(webhook(), SECOND, timedelta(days=1), at(1)),
        endpoint.archived(webhook(), "user", at(5)),
    ],
)
def test_document__stored_and_read__is_the_same_endpoint(made: Webhook) -> None:
    stored = canonical_json.loads(canonical_json.encode(endpoint.document_of(made)))
    assert webhook_from(stored, made.version) == made
    assert webhook_from(stored | {"of_a_later_release": 1}, made.version) == made


def test_health__dead_in_a_row__disables_at_the_third_and_not_before() -> None:
    health, states = Health(), list[tuple[int, Timestamp | None]]()
    for number in range(1, DISABLED_AFTER + 2):
        health = health.after_dead(at(number), f"error {number}")
        states.append((health.consecutive_failures, health.disabled_at))
    assert states == [(1, None), (2, None), (3, at(3)), (4, at(3))]
    assert (health.version, health.is_disabled) == (4, True)
    assert (health.unreported, health.unreported_since) == ("error 3", at(3))


def test_health__told_or_enabled__has_nothing_more_to_tell() -> None:
    disabled = Health(3, at(3), 3, unreported="refused")
    assert disabled.reported() == Health(3, at(3), 4)
    assert disabled.reported().after_dead(at(4), "refused").unreported_since is None
    assert disabled.after_delivered().unreported_since == at(3)
    assert disabled.enabled() == Health(0, None, 4)


def test_health__delivered_between__begins_anew() -> None:
    health = (
        Health()
        .after_dead(at(1), "refused")
        .after_dead(at(2), "refused")
        .after_delivered()
        .after_dead(at(3), "refused")
    )
    assert (health.consecutive_failures, health.is_disabled) == (1, False)


def test_health__delivered_while_clean__is_the_very_same() -> None:
    clean = Health(0, None, 7)
    assert clean.after_delivered() is clean
    assert clean.enabled() is clean


def test_health__delivered_once_disabled__stays_disabled_until_somebody_enables_it() -> None:
    disabled = Health(3, at(3), 3)
    assert disabled.after_delivered() == Health(0, at(3), 4)
    assert disabled.enabled() == Health(0, None, 4)
    assert Health(0, at(3), 4).enabled() == Health(0, None, 5)
