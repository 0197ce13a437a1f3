"""Use cases of content briefs: created, listed, changed, deleted."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.pages.briefs import ContentBrief, edited
from abtest.domain.pages.rules import MAX_BRIEF_BYTES, refuse_large
from abtest.kit.documents import decode, encode
from abtest.services.aggregates import Aggregates, Saved
from abtest.services.context import Caller, World
from abtest.services.known_ids import refuse_unknown_ids
from abtest.services.listing import SCANNED_A_PAGE, every_head
from abtest.services.resources import Resource, Summary
from abtest.services.retries import Versions


def _summary(brief: ContentBrief) -> Summary:
    return Summary(
        name=brief.angle,
        status=brief.status,
        archived_at=brief.archived_at,
        attributes={"landing_page_id": brief.landing_page_id, "format": brief.format, "source": brief.source},
    )


BRIEFS: Resource[ContentBrief] = Resource(
    kind="BRIEF",
    noun="content brief",
    to_document=lambda brief: encode(brief, omit=("version",)),
    from_record=lambda record: decode(ContentBrief, record.body, version=record.head.version),
    summary=_summary,
    audited=lambda brief: encode(brief, omit=("version", "updated_at")),
)


class ContentBriefs(Aggregates[ContentBrief]):
    """Content briefs of shops. `get`, `page` and `remove` are those of every resource.

    A version of a page keeps a copy of its brief, so changing or deleting one leaves versions as they are.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world, BRIEFS)

    def create(self, caller: Caller, fields: Mapping[str, Any]) -> Saved[ContentBrief]:
        """Create a brief.

        Raises DocumentTooLargeError, and ValidationFailedError for a landing page that the shop does not have.
        """
        brief_id = self.world.new_id()

        def make(occasion: Occasion) -> ContentBrief:
            self._refuse_unknown_page(caller.shop_id, fields)
            now = occasion.now
            required = {name: fields[name] for name in ("format", "angle")}
            blank = ContentBrief(id=brief_id, shop_id=caller.shop_id, created_at=now, updated_at=now, **required)
            return _bounded(edited(blank, fields, now))

        return self.add(caller, brief_id, make)

    def update(
        self, caller: Caller, brief_id: str, changes: Mapping[str, Any], *, expected_version: Versions
    ) -> Saved[ContentBrief]:
        """Change the given fields. Raises NotFoundError, and what `create` raises."""

        def decide(before: ContentBrief, occasion: Occasion) -> Change[ContentBrief]:
            if changes.get("landing_page_id") != before.landing_page_id:
                self._refuse_unknown_page(caller.shop_id, changes)
            after = _bounded(edited(before, changes, occasion.now))
            return Change(before=before, after=after, action="content_brief.update")

        return self.change(caller, brief_id, decide, expected_version=expected_version)

    def newest_of(self, shop_id: str, page_id: str) -> list[ContentBrief]:
        """Return the newest brief of a landing page in a list, empty when the newest 2,000 briefs have none."""
        heads = islice(every_head(self.world.catalog, shop_id, "BRIEF"), SCANNED_A_PAGE)
        brief_id = next((head.id for head in heads if head.attributes.get("landing_page_id") == page_id), None)
        return self.get_many(shop_id, [brief_id] if brief_id else [])

    def _refuse_unknown_page(self, shop_id: str, fields: Mapping[str, Any]) -> None:
        if page_id := fields.get("landing_page_id"):
            placed = [("landing_page_id", page_id)]
            refuse_unknown_ids(self.world.catalog, shop_id, "LP", placed, noun="landing page")


def _bounded(brief: ContentBrief) -> ContentBrief:
    """The same brief. Raises DocumentTooLargeError for more than 32 KB, since a page is answered with one."""
    refuse_large(encode(brief), "the content brief", MAX_BRIEF_BYTES)
    return brief
