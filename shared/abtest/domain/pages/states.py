"""Life of a landing page as data: sources and target of each action, from which code and errors are derived."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.pages.model import LandingPage, PageStatus
from abtest.kit.clock import Timestamp

Action = Literal["qa-runs", "approve", "reject", "publish", "unpublish", "archive", "unarchive"]


@dataclass(frozen=True, slots=True)
class Transition:
    """One row of the table. `target` None means the status that the page has outside of the archive."""

    sources: frozenset[PageStatus]
    target: PageStatus | None


def _statuses(*names: PageStatus) -> frozenset[PageStatus]:
    # As an argument a literal keeps its type, which `frozenset` alone would widen to a text.
    return frozenset(names)


TRANSITIONS: Mapping[Action, Transition] = {
    "qa-runs": Transition(_statuses("draft", "in_review", "ready", "unpublished"), "in_review"),
    "approve": Transition(_statuses("in_review"), "ready"),
    "reject": Transition(_statuses("in_review"), "draft"),
    # Whether a draft may be published without QA is a setting of the shop, which publishing checks.
    "publish": Transition(_statuses("draft", "in_review", "ready", "published", "unpublished"), "published"),
    "unpublish": Transition(_statuses("draft", "in_review", "ready", "published"), "unpublished"),
    "archive": Transition(_statuses("draft", "in_review", "ready", "unpublished"), "archived"),
    "unarchive": Transition(_statuses("archived"), None),
}


def allowed_actions(page: LandingPage) -> tuple[Action, ...]:
    """Return the actions that the page allows now, in the order of the table."""
    # A new version makes a published page a draft while the published version stays online.
    is_live = page.published_version_id is not None
    hidden = {"archive"} if is_live else {"unpublish"}
    return tuple(action for action, row in TRANSITIONS.items() if page.status in row.sources and action not in hidden)


def not_allowed(page: LandingPage, action: str) -> InvalidStateTransitionError:
    """Return the error for an action that the page does not allow now."""
    is_archived = page.status == "archived"
    why = "" if is_archived or page.published_version_id is None else "published"
    return InvalidStateTransitionError(action, page.status, allowed_actions(page), why, "landing page")


def refuse_archived(page: LandingPage, action: str) -> None:
    """Raise InvalidStateTransitionError for a change of an archived page."""
    if page.status == "archived":
        raise not_allowed(page, action)


def archived(page: LandingPage, now: Timestamp) -> LandingPage:
    """Return the page in the archive. Raises InvalidStateTransitionError while it is published."""
    if page.status == "archived":
        return page
    if "archive" not in allowed_actions(page):
        raise not_allowed(page, "archive")
    return replace(page, status="archived", archived_at=now, updated_at=now)


def unarchived(page: LandingPage, now: Timestamp) -> LandingPage:
    """Return the page outside of the archive: unpublished if it ever was published, else a draft."""
    if page.status != "archived":
        return page
    status: PageStatus = "unpublished" if page.was_published else "draft"
    return replace(page, status=status, archived_at=None, updated_at=now)
