"""Records of publishes: children of their page, read by id and in a list."""

from collections.abc import Sequence

from abtest.domain.pages.publishes import PagePublish
from abtest.kit.documents import decode, encode
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog, Head, Kind, Put, Record
from abtest.services.listing import EVERYTHING, Listing

KIND: Kind = "LPP"


def put_of(publish: PagePublish) -> Put:
    """Return the write of a publish over the version before its own; version 1 must not exist yet."""
    head = Head(
        shop_id=publish.shop_id,
        kind=KIND,
        id=publish.id,
        parent_id=publish.landing_page_id,
        version=publish.version,
        created_at=publish.published_at,
        updated_at=publish.updated_at,
        status=publish.status,
    )
    return Put(record=Record(head=head, body=encode(publish, omit=("version",))), expected_version=publish.version - 1)


def from_record(record: Record) -> PagePublish:
    """Return the publish of a stored record."""
    return decode(PagePublish, record.body, version=record.head.version)


class PagePublishes:
    """Publishes of pages."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._listing = Listing(catalog, KIND, from_record, plural="publishes")

    def find(self, shop_id: str, page_id: str, publish_id: str) -> PagePublish | None:
        """Return a publish of the page with this id, if there is one."""
        record = self._catalog.get(shop_id, KIND, publish_id, parent_id=page_id)
        return None if record is None else from_record(record)

    def get(self, shop_id: str, page_id: str, publish_id: str) -> PagePublish:
        """Return a publish of the page. Raises NotFoundError."""
        publish = self.find(shop_id, page_id, publish_id)
        if publish is None:
            raise NotFoundError("there is no such publish")
        return publish

    def find_many(self, shop_id: str, page_id: str, publish_ids: Sequence[str]) -> list[PagePublish]:
        """Return the publishes of the page that exist, in the order of the ids."""
        return [*map(from_record, self._catalog.get_many(shop_id, KIND, publish_ids, parent_id=page_id))]

    def page(
        self, shop_id: str, page_id: str, *, limit: int, after: str | None = None
    ) -> tuple[list[PagePublish], str | None]:
        """Return publishes of a page, newest first, and the key that continues the list."""
        return self._listing.page(shop_id, EVERYTHING, limit=limit, after=after, parent_id=page_id)
