"""Sessions: how long they live, and how many a subject has."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from abtest.domain.credentials.api_keys import PRESETS, SCOPES, with_implied
from abtest.domain.identity.roles import ROLES
from abtest.domain.identity.sessions import (
    IDLE,
    LONGEST,
    MAX_SESSIONS,
    Level,
    Session,
    end_of,
    from_document,
    is_token,
    to_document,
    with_another,
)
from abtest.domain.identity.step_up import RECENT, is_recent, may_write
from abtest.kit.clock import later, timestamp

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
NOW = timestamp(START)
SESSION = Session(
    id="0192a3b4-0000-7000-8000-000000000001",
    sha256="a" * 64,
    subject="user#u",
    user_id="u",
    level="passkey",
    created_at=NOW,
    expires_at=timestamp(end_of(START)),
    verified_at=NOW,
)


def test_session__not_used_for_an_hour__has_ended() -> None:
    assert timedelta(minutes=60) == IDLE
    assert SESSION.is_live(NOW, timestamp(START + IDLE - timedelta(milliseconds=1)))
    assert not SESSION.is_live(NOW, timestamp(START + IDLE))


def test_session__used_all_the_time__ends_after_twelve_hours() -> None:
    assert timedelta(hours=12) == LONGEST
    seen_at = later(NOW, LONGEST - timedelta(minutes=1))
    assert SESSION.idle_until(seen_at) == SESSION.expires_at == later(NOW, LONGEST)
    assert not SESSION.is_live(seen_at, SESSION.expires_at)


def test_sessions__an_eleventh__ends_the_oldest() -> None:
    listed = [str(number) for number in range(MAX_SESSIONS)]
    assert with_another(listed, "new") == ([*listed[1:], "new"], ["0"])
    assert with_another(listed[:3], "1") == (["0", "2", "1"], [])


def test_session__stored__is_read_back_with_fields_of_a_later_release() -> None:
    assert from_document({**to_document(SESSION), "later": 1}) == SESSION


@pytest.mark.parametrize("text", ["", "x", "é" * 43, "a" * 42 + "=", "a" * 44, "a" * 42 + "\n", "a" * 42 + "²"])
def test_token__of_another_form__is_none(text: str) -> None:
    assert not is_token(text)
    assert is_token("aZ09_-" + "a" * 37)


def test_passkey__used_ten_minutes_ago__must_be_used_again() -> None:
    assert is_recent(SESSION, later(NOW, RECENT - timedelta(milliseconds=1)))
    assert not is_recent(SESSION, later(NOW, RECENT))
    assert not is_recent(replace(SESSION, verified_at=None), NOW)


@pytest.mark.parametrize(
    ("level", "writes", "recent"), [("key", True, True), ("local", True, True), ("email", False, False)]
)
def test_level__without_a_passkey__has_the_rights_of_what_it_came_with(
    level: Level, writes: bool, recent: bool
) -> None:
    session = replace(SESSION, level=level, verified_at=None)
    assert (may_write(session), is_recent(session, NOW)) == (writes, recent)


def test_roles__are_a_ladder_of_the_presets() -> None:
    ladder = [ROLES[role] for role in ("viewer", "editor", "launcher", "admin")]
    assert all(lower < higher for lower, higher in pairwise(ladder))
    assert ROLES["owner"] == ROLES["admin"] == frozenset(SCOPES)
    assert ROLES["client"] == with_implied(PRESETS["read_only"] | {"approvals:write", "inbox:write"})
    assert {scope for scope in ROLES["client"] if not scope.endswith(":read")} == {"approvals:write", "inbox:write"}
