"""Life of a landing page as data: sources and target of each action, from which code and errors are derived."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.pages.model import LandingPage, PageStatus
from abtest.domain.pages.qa import Decision, QaRun
from abtest.kit.clock import Timestamp

Action = Literal["qa-runs", "approve", "reject", "publish", "rollback", "unpublish", "archive", "unarchive"]


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
    "rollback": Transition(_statuses("draft", "in_review", "ready", "published", "unpublished"), "published"),
    "unpublish": Transition(_statuses("draft", "in_review", "ready", "published"), "unpublished"),
    "archive": Transition(_statuses("draft", "in_review", "ready", "unpublished"), "archived"),
    "unarchive": Transition(_statuses("archived"), None),
}


def allowed_actions(page: LandingPage) -> tuple[Action, ...]:
    """Return the actions that the page allows now, in the order of the table."""
    # A new version makes a published page a draft while the published version stays online.
    is_live = page.published_version_id is not None
    hidden = {"archive"} if is_live else {"unpublish"}
    if not page.was_published:
        hidden.add("rollback")
    return tuple(action for action, row in TRANSITIONS.items() if page.status in row.sources and action not in hidden)


def not_allowed(page: LandingPage, action: str) -> InvalidStateTransitionError:
    """Return the error for an action that the page does not allow now."""
    is_archived = page.status == "archived"
    why = "" if is_archived or page.published_version_id is None else "published"
    return InvalidStateTransitionError(action, page.status, allowed_actions(page), why, "landing page")


def refuse_not_allowed(page: LandingPage, action: Action) -> None:
    """Raise InvalidStateTransitionError for an action that the page does not allow now."""
    if action not in allowed_actions(page):
        raise not_allowed(page, action)


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


def status_with(page: LandingPage, version_id: str) -> PageStatus:
    """Return the status of a page that gets this one of its versions as the current one."""
    if version_id == page.published_version_id:
        return "published"
    return "ready" if page.is_approved(version_id) else "draft"


def in_review(page: LandingPage, version_id: str, now: Timestamp) -> LandingPage:
    """Return the page after the start of a QA run. Raises InvalidStateTransitionError.

    A run of another version than the current one counts, and leaves the status as it is.
    """
    if version_id == page.current_version_id:
        if "qa-runs" not in allowed_actions(page):
            raise not_allowed(page, "qa-runs")
        page = replace(page, status="in_review")
    refuse_archived(page, "qa-runs")
    return replace(page, qa_runs=page.qa_runs + 1, updated_at=now)


def reviewed(page: LandingPage, run: QaRun, decision: Decision, now: Timestamp) -> LandingPage:
    """Return the page after a decision about a QA run. Raises InvalidStateTransitionError for an archived page.

    Only a run of the current version moves the page: a newer version has to be approved by a run of its own. A
    rejection takes back an earlier approval of the version.
    """
    refuse_archived(page, decision)
    approved = run.id if decision == "approve" else None
    entries = (
        replace(entry, approved_qa_run_id=approved) if entry.id == run.version_id else entry for entry in page.versions
    )
    after = replace(page, versions=tuple(entries))
    if run.version_id == page.current_version_id and decision in allowed_actions(page):
        after = replace(after, status=TRANSITIONS[decision].target or page.status)
    return page if after == page else replace(after, updated_at=now)
