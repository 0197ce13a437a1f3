"""Use cases of publishing: published, taken back, taken offline.

What visitors get is stored before the catalog names it, and addresses are flipped afterwards. The commit in between has
an outbox row, by which the sweep completes what this request does not.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from abtest.domain.changes.change import Change
from abtest.domain.pages.model import LandingPage
from abtest.domain.pages.publishes import PagePublish, Snapshot, published, unpublished
from abtest.domain.pages.states import Action, refuse_not_allowed
from abtest.kit.errors import DatabaseBusyError, NotFoundError, ServiceError, refused
from abtest.ports.catalog import Commit, OutboxRow
from abtest.services.aggregates import Saved
from abtest.services.context import Caller, World
from abtest.services.pages.flips import PageFlips
from abtest.services.pages.pages import LandingPages
from abtest.services.pages.promises import promise
from abtest.services.pages.publish_records import PagePublishes, put_of
from abtest.services.pages.snapshots import Snapshots
from abtest.services.retries import Versions, refuse_other_version, retried
from abtest.services.scopes import require_scope

LATE = "stored, but not complete yet; it is repeated until it is"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deed:
    """One publish to make: its action, what it keeps of a page, and what the audit notes."""

    action: Action
    snapshot: Callable[[LandingPage], Snapshot]
    note: Mapping[str, Any]


class Publishing:
    """Publishes of landing pages."""

    def __init__(self, pages: LandingPages, snapshots: Snapshots, flips: PageFlips) -> None:
        self._pages = pages
        self._snapshots = snapshots
        self._flips = flips
        self._publishes = PagePublishes(pages.world.catalog)

    @property
    def _world(self) -> World:
        return self._pages.world

    def page(
        self, shop_id: str, page_id: str, *, limit: int, after: str | None
    ) -> tuple[list[PagePublish], str | None]:
        """Return publishes of a page, newest first, and the key that continues the list. Raises NotFoundError."""
        self._pages.get(shop_id, page_id)
        return self._publishes.page(shop_id, page_id, limit=limit, after=after)

    def exported(self, shop_id: str, page_id: str, publish_id: str) -> tuple[LandingPage, bytes]:
        """Return a page and the file of an export. Raises NotFoundError, BlobsUnavailableError."""
        page = self._pages.get(shop_id, page_id)
        snapshot = self._publishes.get(shop_id, page_id, publish_id).snapshot
        if not snapshot.is_export:
            raise NotFoundError("this publish is online and has no file")
        return page, self._snapshots.documents.html(snapshot.base)

    def publish(
        self, caller: Caller, page_id: str, fields: Mapping[str, Any], *, expected_version: Versions
    ) -> PagePublish:
        """Publish a version, by default the current one, at an address, by default the page's own.

        Raises NotFoundError, InvalidStateTransitionError, RouteTakenError, FieldScopeRequiredError, and what
        `Snapshots.of` raises.
        """
        note = {}
        if override := fields.get("override_gate"):
            require_scope(caller, "shop:write", field="override_gate")
            note = {"override_gate": override["reason"]}
        deed = _Deed(action="publish", snapshot=partial(self._snapshots.of, fields=fields), note=note)
        return self._done(caller, page_id, deed, expected_version)

    def roll_back(
        self, caller: Caller, page_id: str, publish_id: str, *, expected_version: Versions
    ) -> Saved[LandingPage]:
        """Publish again what an earlier publish kept, at its address and without gates. The live one stays as it is.

        Raises NotFoundError, InvalidStateTransitionError, ValidationFailedError, UrlNotAllowedError, RouteTakenError.
        """

        def kept(page: LandingPage) -> Snapshot:
            publish = self._publishes.find(page.shop_id, page_id, publish_id)
            if publish is None:
                raise refused("publish_id", "there is no such publish of this landing page")
            return self._snapshots.repeated(page, publish.snapshot)

        page = self._pages.get(caller.shop_id, page_id)
        if page.live is not None and page.live.publish_id == publish_id:
            refuse_other_version(expected_version, page.version)
            self._completed(self._publishes.get(page.shop_id, page_id, publish_id), None)
            return Saved(page, changed=False)
        deed = _Deed(action="rollback", snapshot=kept, note={"rollback_to": publish_id})
        self._done(caller, page_id, deed, expected_version)
        return Saved(self._pages.get(caller.shop_id, page_id))

    def unpublish(self, caller: Caller, page_id: str, *, expected_version: Versions) -> Saved[LandingPage]:
        """Take a page offline; one that is offline stays so. Raises NotFoundError, InvalidStateTransitionError."""
        world, mark = self._world, self._world.audit_row_id()

        def attempt() -> tuple[Saved[LandingPage], OutboxRow | None]:
            page = self._pages.get(caller.shop_id, page_id)
            if world.is_stored(caller.shop_id, mark):
                return Saved(page), None
            refuse_other_version(expected_version, page.version)
            after = unpublished(page, world.now())
            if after == page or page.live is None:
                return Saved(page, changed=False), None
            publish = self._publishes.get(page.shop_id, page_id, page.live.publish_id)
            ended = replace(publish, status="unpublished", version=publish.version + 1, updated_at=after.updated_at)
            row = promise(world, page.shop_id, page_id, ended.id)
            change = Change(before=page, after=after, action="landing_page.unpublish")
            extra = Commit(puts=[put_of(ended)], outbox=[row])
            return self._pages.save(caller.user_id, change, extra, row_id=mark), row

        saved, row = retried(attempt)
        if latest := saved.value.latest_publish_id:
            self._completed(self._publishes.get(caller.shop_id, page_id, latest), row)
        return saved

    def _done(self, caller: Caller, page_id: str, deed: _Deed, expected_version: Versions) -> PagePublish:
        """The publish that a deed makes, complete unless a store fails."""
        # Drawn once: a repetition of the request finds by these what an earlier run committed.
        publish_id, mark = self._world.new_id(), self._world.audit_row_id()

        def attempt() -> tuple[PagePublish, OutboxRow | None]:
            page = self._pages.get(caller.shop_id, page_id)
            if self._world.is_stored(caller.shop_id, mark):
                return self._publishes.get(page.shop_id, page_id, publish_id), None
            refuse_other_version(expected_version, page.version)
            refuse_not_allowed(page, deed.action)
            publish = self._made(caller, page, publish_id, deed.snapshot(page))
            note = {"publish_id": publish_id, **deed.note}
            if overridden := publish.snapshot.overridden:
                note["overridden_checks"] = list(overridden)
            action = f"landing_page.{deed.action}"
            change = Change(before=page, after=published(page, publish), action=action, note=note)
            row = promise(self._world, page.shop_id, page_id, publish_id)
            self._pages.save(caller.user_id, change, Commit(puts=[put_of(publish)], outbox=[row]), row_id=mark)
            return publish, row

        return self._completed(*retried(attempt))

    def _made(self, caller: Caller, page: LandingPage, publish_id: str, snapshot: Snapshot) -> PagePublish:
        now = self._world.now()
        return PagePublish(
            id=publish_id,
            shop_id=page.shop_id,
            version=1,
            landing_page_id=page.id,
            snapshot=snapshot,
            former_id=page.live.publish_id if page.live else None,
            former_route=page.live.route if page.live else None,
            published_by=caller.user_id,
            published_at=now,
            updated_at=now,
        )

    def _completed(self, publish: PagePublish, row: OutboxRow | None) -> PagePublish:
        """The publish at its addresses. What fails is in `error` and left to the outbox: it is committed already."""
        try:
            completion = self._flips.complete(publish.shop_id, publish.landing_page_id, publish.id)
        except ServiceError as error:
            return replace(publish, error=f"{LATE} ({error.code})")
        if completion.is_whole and row is not None:
            with suppress(DatabaseBusyError):  # the sweep repeats it, which does no harm
                self._world.catalog.outbox_done(row)
        return completion.publish
