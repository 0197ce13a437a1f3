"""`project.published`: each flip is told to webhooks once, whoever does it, however often it is repeated.

The pointer flips first, the row follows; a process that dies in between leaves a flip that was not told. Every later
publication meets that flip as what stands, and tells it then. What was told is remembered beside the rows, in the same
commit, so that of two who know of a flip one tells it.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Commit, Head, OutboxRow, Put, Record
from abtest.services.context import World
from abtest.services.publication.pointers import Flipped
from abtest.services.retries import retried

RECORD_ID = "SET#ANNOUNCED"
REMEMBERED = 100
"""Revisions of which it is known what was told; a process that is further behind tells nothing."""

EVENT = "project.published"
_AT_ONCE = 50
_Told = dict[int, list[str]]


def announce(world: World, shop_id: str, flips: Sequence[Flipped], *, since: int) -> None:
    """Tell webhooks of these flips, but for those that were told, and those up to revision `since`.

    Raises StaleVersionError when races were lost again and again, and DatabaseBusyError: repeat the publication.
    """
    later = {(flip.revision, flip.environment): flip for flip in flips if flip.revision > since}
    ordered = [later[key] for key in sorted(later)]
    for start in range(0, len(ordered), _AT_ONCE):
        retried(partial(_announce, world, shop_id, ordered[start : start + _AT_ONCE]))


def _announce(world: World, shop_id: str, flips: Sequence[Flipped]) -> None:
    record = world.catalog.get(shop_id, "SET", RECORD_ID)
    told: _Told = {} if record is None else {int(key): list(value) for key, value in record.body["told"].items()}
    fresh = [flip for flip in flips if _is_untold(flip, told)]
    if not fresh:
        return
    for flip in fresh:
        told.setdefault(flip.revision, []).append(flip.environment)
    put = _put(record, shop_id, {revision: told[revision] for revision in sorted(told)[-REMEMBERED:]}, world.now())
    world.catalog.commit(Commit(puts=[put], outbox=[_row(world, shop_id, flip) for flip in fresh]))


def _is_untold(flip: Flipped, told: _Told) -> bool:
    forgotten = len(told) == REMEMBERED and flip.revision < min(told)
    return not forgotten and flip.environment not in told.get(flip.revision, [])


def _row(world: World, shop_id: str, flip: Flipped) -> OutboxRow:
    facts = {
        "project_id": shop_id,
        "revision": flip.revision,
        "environment_key": flip.environment,
        "status": "published",
        "published_at": flip.at,
    }
    return world.outbox_row(shop_id, "webhook", {"event": EVENT, **facts})


def _put(record: Record | None, shop_id: str, told: Mapping[int, Sequence[str]], now: Timestamp) -> Put:
    version = record.head.version if record else 0
    head = Head(
        shop_id=shop_id,
        kind="SET",
        id=RECORD_ID,
        version=version + 1,
        created_at=record.head.created_at if record else now,
        updated_at=now,
    )
    body = {"told": {str(revision): environments for revision, environments in told.items()}}
    return Put(record=Record(head=head, body=body), expected_version=version)
