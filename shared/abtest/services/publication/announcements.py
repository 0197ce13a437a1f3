"""`project.published`: each flip is announced to webhooks once, however often its publication is repeated.

The pointer flips first, the row follows; a process that dies in between leaves a flip without announcement. The next
publication reads that flip as the current state, and announces it. The commit of the rows also stores which flips were
announced, so that of two processes that know of a flip only one announces it.
"""

from collections.abc import Sequence
from functools import partial

from abtest.ports.catalog import Commit, Head, OutboxRow, Put, Record
from abtest.services.context import World
from abtest.services.publication.pointers import Flipped
from abtest.services.retries import retried

RECORD_ID, FORMER_RECORD_ID = "ANNOUNCED", "SET#ANNOUNCED"
REMEMBERED = 100
"""Revisions whose announcements are remembered; a process that is further behind announces nothing."""

EVENT = "project.published"
_AT_ONCE = 50


def announce(world: World, shop_id: str, flips: Sequence[Flipped], *, since: int) -> None:
    """Announce these flips to webhooks, except announced ones and those up to revision `since`.

    Raises StaleVersionError when every attempt lost its race, and DatabaseBusyError: repeat the publication.
    """
    later = {(flip.revision, flip.environment): flip for flip in flips if flip.revision > since}
    ordered = [later[key] for key in sorted(later)]
    for start in range(0, len(ordered), _AT_ONCE):
        retried(partial(_announce, world, shop_id, ordered[start : start + _AT_ONCE]))


def _announce(world: World, shop_id: str, flips: Sequence[Flipped]) -> None:
    record = world.catalog.get(shop_id, "PUB", RECORD_ID)
    # Releases before 2026-11-23 stored it among the settings of the shop.
    known = record or world.catalog.get(shop_id, "SET", FORMER_RECORD_ID)
    announced: dict[int, list[str]] = {}
    if known is not None:
        announced = {int(revision): list(environments) for revision, environments in known.body["told"].items()}
    # A full memory has dropped older revisions, so an older flip may have been announced already.
    oldest = min(announced) if len(announced) == REMEMBERED else 0
    fresh = [
        flip for flip in flips if flip.revision >= oldest and flip.environment not in announced.get(flip.revision, [])
    ]
    if not fresh:
        return
    for flip in fresh:
        announced.setdefault(flip.revision, []).append(flip.environment)
    body = {"told": {str(revision): announced[revision] for revision in sorted(announced)[-REMEMBERED:]}}
    version, now = record.head.version if record else 0, world.now()
    head = Head(
        shop_id=shop_id,
        kind="PUB",
        id=RECORD_ID,
        version=version + 1,
        created_at=record.head.created_at if record else now,
        updated_at=now,
    )
    # The expected version makes two announcers exclude each other: the slower one reads again, and finds nothing fresh.
    put = Put(record=Record(head=head, body=body), expected_version=version)
    world.catalog.commit(Commit(puts=[put], outbox=[event_row(world, shop_id, flip) for flip in fresh]))


def event_row(world: World, shop_id: str, flip: Flipped) -> OutboxRow:
    """Build the outbox row of the event about one flip."""
    facts = {
        "project_id": shop_id,
        "revision": flip.revision,
        "environment_key": flip.environment,
        "status": "published",
        "published_at": flip.at,
    }
    return world.outbox_row(shop_id, "webhook", {"event": EVENT, **facts})
