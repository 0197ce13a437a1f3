"""Records of the latest pictures of experiments."""

from collections.abc import Iterator

from abtest.domain.screenshots.latest import LatestPictures, shown_after
from abtest.domain.screenshots.order import ScreenshotOrder
from abtest.domain.screenshots.outcomes import Film
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode, encode
from abtest.ports.catalog import Catalog, Head, Put, Record


def read_latest(catalog: Catalog, shop_id: str, experiment_id: str) -> LatestPictures | None:
    """Return the latest pictures of an experiment; None before its first job ended."""
    record = catalog.get(shop_id, "SHOT", experiment_id)
    return decode(LatestPictures, record.body, version=record.head.version) if record else None


def latest_puts(catalog: Catalog, shop_id: str, order: ScreenshotOrder, film: Film, now: Timestamp) -> Iterator[Put]:
    """Yield the write of the latest pictures of the job's experiment, if it has one that still exists."""
    if order.experiment_id is None or catalog.get(shop_id, "EXP", order.experiment_id) is None:
        return
    before = read_latest(catalog, shop_id, order.experiment_id) or LatestPictures(
        id=order.experiment_id, shop_id=shop_id, created_at=now, updated_at=now
    )
    after = shown_after(before, order, film, now)
    yield Put(
        record=Record(head=head_of(after), body=encode(after, omit=("version",))), expected_version=before.version
    )


def head_of(latest: LatestPictures) -> Head:
    """Build the head of the record."""
    return Head(
        shop_id=latest.shop_id,
        kind="SHOT",
        id=latest.id,
        version=latest.version,
        created_at=latest.created_at,
        updated_at=latest.updated_at,
    )
