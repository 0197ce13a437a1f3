"""Notes of files to be removed. One is written before any object of an asset, and one when an asset is deleted.

So a process may end at any line: every object belongs to an asset that is ready, or to a note that becomes due. A
picture that a job made keeps its first note, which becomes due with the job.
"""

from abtest.domain.assets.model import ABANDONED_AFTER, KEPT_AFTER_DELETION, KEPT_WITH_JOB, Asset
from abtest.kit.clock import Timestamp, later
from abtest.ports.catalog import Commit, Head, Put, Record, Remove

WORK_QUEUE = "TRASH"


def trash_commit(before: Asset | None, after: Asset | None, now: Timestamp) -> Commit:
    """Return the writes of notes that a change of an asset needs. One that is ready at its creation has a note."""
    if after is None:
        return _written(before, _removal(before, now), now, over=_noted(before)) if before else Commit()
    if before is None and after.status == "uploading":
        return first_note(after, now)
    needs_note = after.status == "uploading" or after.made_by is not None
    if not needs_note and (before is None or _noted(before)):
        return Commit(removes=[Remove(head=_head(after, now, version=1))])
    return Commit()


def first_note(asset: Asset, now: Timestamp) -> Commit:
    """Return the write of the note of an asset that has no object yet."""
    return _written(asset, later(now, KEPT_WITH_JOB if asset.made_by else ABANDONED_AFTER), now)


def _removal(asset: Asset, now: Timestamp) -> Timestamp:
    """When the objects of an asset go that is deleted now: a picture of a job not after its job."""
    removal = later(now, KEPT_AFTER_DELETION)
    return removal if asset.made_by is None else min(removal, max(now, later(asset.created_at, KEPT_WITH_JOB)))


def _noted(asset: Asset) -> int:
    """The version of the note that a stored asset has, 0 for none."""
    return 1 if asset.status == "uploading" or asset.made_by is not None else 0


def _written(asset: Asset, due: Timestamp, now: Timestamp, *, over: int = 0) -> Commit:
    head = _head(asset, now, version=over + 1, due=due)
    return Commit(puts=[Put(record=Record(head=head, body={}), expected_version=over)])


def _head(asset: Asset, now: Timestamp, *, version: int, due: Timestamp | None = None) -> Head:
    return Head(
        shop_id=asset.shop_id,
        kind="TRASH",
        id=asset.id,
        version=version,
        created_at=now,
        updated_at=now,
        due={WORK_QUEUE: due} if due else {},
    )
