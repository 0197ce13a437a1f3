"""Life of a landing page: which action is allowed when, and what a refused one reports."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.pages.model import LandingPage, PageStatus
from abtest.domain.pages.states import TRANSITIONS, Action, allowed_actions, archived, refuse_archived, unarchived

THEN, NOW = "2026-03-02T09:00:00.000Z", "2026-03-03T09:00:00.000Z"
DRAFT = LandingPage(
    id="page", shop_id="shop", seat=0, name="P", slug="p", publish_host="h", created_at=THEN, updated_at=THEN
)
ONLINE = replace(DRAFT, status="published", publishes=1, published_version_id="version")
OFFLINE = replace(DRAFT, status="unpublished", publishes=1)
ARCHIVED = replace(DRAFT, status="archived", archived_at=THEN)


@pytest.mark.parametrize(
    ("page", "actions"),
    [
        (DRAFT, "qa-runs publish archive"),
        (replace(DRAFT, status="in_review"), "qa-runs approve reject publish archive"),
        (replace(DRAFT, status="ready"), "qa-runs publish archive"),
        (ONLINE, "publish rollback unpublish"),
        (replace(ONLINE, status="draft"), "qa-runs publish rollback unpublish"),
        (replace(ONLINE, status="ready"), "qa-runs publish rollback unpublish"),
        (OFFLINE, "qa-runs publish rollback archive"),
        (ARCHIVED, "unarchive"),
    ],
)
def test_allowed_actions__by_status__and_whether_it_is_online(page: LandingPage, actions: str) -> None:
    assert allowed_actions(page) == tuple(actions.split())


def test_table__has_every_action_and_status() -> None:
    assert tuple(TRANSITIONS) == get_args(Action)
    assert {status for row in TRANSITIONS.values() for status in row.sources} == set(get_args(PageStatus))


@pytest.mark.parametrize("page", [ONLINE, replace(ONLINE, status="draft"), replace(ONLINE, status="in_review")])
def test_archive__while_a_version_is_online__is_refused_with_what_is_allowed(page: LandingPage) -> None:
    with pytest.raises(InvalidStateTransitionError, match="while the landing page is published") as refusal:
        archived(page, NOW)
    assert refusal.value.facts == {"current_status": page.status, "allowed_actions": list(allowed_actions(page))}


def test_archive__and_back__leads_to_a_draft_or_to_unpublished() -> None:
    for page, status in ((DRAFT, "draft"), (replace(DRAFT, status="ready"), "draft"), (OFFLINE, "unpublished")):
        stored = archived(page, NOW)
        assert (stored.status, stored.archived_at, stored.updated_at) == ("archived", NOW, NOW)
        back = unarchived(stored, NOW)
        assert (back.status, back.archived_at) == (status, None)


def test_archive__of_what_is_there_already__changes_nothing() -> None:
    assert archived(ARCHIVED, NOW) is ARCHIVED
    assert unarchived(ONLINE, NOW) is ONLINE


def test_change__of_an_archived_page__is_refused() -> None:
    refuse_archived(DRAFT, "update")
    with pytest.raises(InvalidStateTransitionError) as refusal:
        refuse_archived(ARCHIVED, "update")
    assert refusal.value.facts == {"current_status": "archived", "allowed_actions": ["unarchive"]}
