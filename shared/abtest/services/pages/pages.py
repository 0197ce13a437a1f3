"""Use cases of landing pages: created, listed, changed, archived, deleted."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.errors import NotDeletableError, SlugTakenError
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.pages.addresses import RouteTakenError, page_address, refuse_reserved, route_name
from abtest.domain.pages.model import MAX_PAGES, LandingPage, edited, experiment_name, experiments_of
from abtest.domain.pages.states import archived, refuse_archived, unarchived
from abtest.kit.documents import decode, encode
from abtest.kit.errors import ConflictError, FieldError
from abtest.ports.catalog import Commit, Kind, NameTakenError, Remove, StaleVersionError, together
from abtest.services.aggregates import Aggregates, Saved
from abtest.services.context import Caller, World
from abtest.services.names import Names
from abtest.services.pages.live_hosts import is_claimed
from abtest.services.resources import Resource, Summary
from abtest.services.retries import Versions
from abtest.services.seats import free_seats, seat_name
from abtest.services.shop_records import read_shop
from abtest.services.storefronts import Refreshes

_COUNTED = ("version", "updated_at", "seat", "versions", "publishes", "qa_runs")
"""Fields that the audit leaves out: rows of versions, publishes and QA runs report these."""

_REMOVED_KINDS: tuple[Kind, ...] = ("LPV", "LPQ", "LPR")
_REMOVED_AT_ONCE = 40


def _summary(page: LandingPage) -> Summary:
    return Summary(
        name=page.name,
        status=page.status,
        archived_at=page.archived_at,
        attributes={
            "key": page.slug,
            "page_type": page.page_type,
            "publish_mode": page.publish_mode,
            "seat": page.seat,
            "live_publish_id": page.live.publish_id if page.live else None,
            "live_host": page.live.route.host if page.live and page.live.route else None,
        },
    )


def _slug_name(slug: str) -> str:
    return f"LP#SLUG#{slug}"


def _names(page: LandingPage) -> Names:
    route = page.live.route if page.live else None
    own = {_slug_name(page.slug), seat_name("LP", page.seat), *map(experiment_name, experiments_of(page))}
    routes = {} if route is None else {route_name(route.host, route.path): {"landing_page_id": page.id}}
    return Names(own=own, service_wide=routes)


def _name_taken(page: LandingPage, error: NameTakenError) -> Exception:
    route = page.live.route if page.live else None
    if route is not None and error.name == route_name(route.host, route.path):
        return RouteTakenError(f"another landing page is published at {page_address(route.host, route.path)}")
    if error.name == _slug_name(page.slug):
        return SlugTakenError(f"the slug {page.slug} belongs to another landing page")
    if error.name in map(experiment_name, experiments_of(page)):
        message = "the experiment belongs to another landing page, or was deleted at the same time"
        return ConflictError(f"experiment_id: {message}", fields=[FieldError("experiment_id", message)])
    return StaleVersionError("another landing page was created at the same time; repeat the request")


LANDING_PAGES: Resource[LandingPage] = Resource(
    kind="LP",
    noun="landing page",
    to_document=lambda page: encode(page, omit=("version",)),
    from_record=lambda record: decode(LandingPage, record.body, version=record.head.version),
    summary=_summary,
    audited=lambda page: encode(page, omit=_COUNTED),
    names=_names,
    name_taken=_name_taken,
    # Snippets must know which experiments pages decide: these are not decided in browsers any more.
    reaches_shoppers=lambda before, after: experiments_of(before) != experiments_of(after),
)


class LandingPages(Aggregates[LandingPage]):
    """Landing pages of shops. `get` and `page` are those of every resource.

    `storefronts` publishes a page's link to an experiment; without it, the sweep does.
    """

    def __init__(self, world: World, storefronts: Refreshes | None = None) -> None:
        super().__init__(world, LANDING_PAGES, storefronts)

    def create(self, caller: Caller, fields: Mapping[str, Any]) -> Saved[LandingPage]:
        """Create a page, a draft without versions.

        Raises SlugTakenError, UrlNotAllowedError, ReservedPathError, LimitReachedError.
        """
        page_id = self.world.new_id()

        def make(occasion: Occasion) -> LandingPage:
            given = self._addressed(caller.shop_id, fields)
            return LandingPage(
                id=page_id,
                shop_id=caller.shop_id,
                seat=self._free_seat(caller.shop_id, page_id),
                created_by=caller.user_id,
                created_at=occasion.now,
                updated_at=occasion.now,
                **given,
            )

        return self.add(caller, page_id, make)

    def update(
        self, caller: Caller, page_id: str, changes: Mapping[str, Any], *, expected_version: Versions
    ) -> Saved[LandingPage]:
        """Change the given fields. Raises NotFoundError, InvalidStateTransitionError, and what `create` raises."""

        def decide(before: LandingPage, occasion: Occasion) -> Change[LandingPage]:
            refuse_archived(before, "update")
            given = self._addressed(caller.shop_id, changes, before.publish_host)
            return Change(before=before, after=edited(before, given, occasion.now), action="landing_page.update")

        return self.change(caller, page_id, decide, expected_version=expected_version)

    def set_archived(
        self, caller: Caller, page_id: str, is_archived: bool, *, expected_version: Versions
    ) -> Saved[LandingPage]:
        """Archive a page, or take it back. Raises NotFoundError, and InvalidStateTransitionError while published."""
        verb, move = ("archive", archived) if is_archived else ("unarchive", unarchived)

        def decide(before: LandingPage, occasion: Occasion) -> Change[LandingPage]:
            return Change(before=before, after=move(before, occasion.now), action=f"landing_page.{verb}")

        return self.change(caller, page_id, decide, expected_version=expected_version)

    def delete(self, caller: Caller, page_id: str, *, expected_version: Versions) -> None:
        """Delete a page that was never published, with its versions, their reports and QA runs.

        Raises NotFoundError, NotDeletableError.
        """
        self.remove(caller, page_id, expected_version=expected_version, check=_refuse_published)
        # The rest afterwards, because a transaction has no room for all. Without the page nothing reads what a crash
        # leaves.
        while (children := self._removed_children(caller.shop_id, page_id)).removes:
            self.world.catalog.commit(children)

    def companions(self, pairs: Sequence[tuple[LandingPage | None, LandingPage | None]]) -> Commit:
        """Removal of the first children of a deleted page."""
        # Read in each attempt: a check that ends a QA run meanwhile changes a child together with the page.
        deleted = [before for before, after in pairs if before and after is None]
        return together(*(self._removed_children(page.shop_id, page.id) for page in deleted))

    def _removed_children(self, shop_id: str, page_id: str) -> Commit:
        lists = (
            self.world.catalog.list(shop_id, kind, limit=_REMOVED_AT_ONCE, parent_id=page_id).heads
            for kind in _REMOVED_KINDS
        )
        return Commit(removes=[Remove(head=head) for head in chain.from_iterable(lists)][:_REMOVED_AT_ONCE])

    def _addressed(self, shop_id: str, fields: Mapping[str, Any], kept_host: str | None = None) -> dict[str, Any]:
        """The fields, with the shop's own domain for no host. `kept_host` was checked when it was set."""
        given = dict(fields)
        host = given.get("publish_host", kept_host)
        if host is None or host != kept_host:
            given["publish_host"] = self._claimed(shop_id, host)
        if given.get("publish_path") is not None:
            refuse_reserved(given["publish_path"], "publish_path")
        return given

    def _claimed(self, shop_id: str, host: str | None) -> str:
        """The host, if pages of the shop may be published there; for None the shop's own domain.

        The shop's own domain is accepted unclaimed here, because a page has it before anything is installed.
        Publishing requires the claim of any host.
        """
        domain = read_shop(self.world.catalog, shop_id).domain
        if host is None or host == domain:
            return domain
        if not is_claimed(self.world.catalog, shop_id, host):
            message = "must be the shop's domain or one of its install domains; add it there first"
            raise UrlNotAllowedError(f"publish_host: {message}", fields=[FieldError("publish_host", message)])
        return host

    def _free_seat(self, shop_id: str, page_id: str) -> int:
        """A free seat. Raises LimitReachedError."""
        free = free_seats(self.world.catalog, shop_id, "LP", most=MAX_PAGES, plural="landing pages")
        # By the random end of the id: creations at the same time rarely choose the same seat.
        return free[int(page_id[-6:], 16) % len(free)]


def _refuse_published(page: LandingPage) -> None:
    if page.was_published:
        raise NotDeletableError("this landing page was published; unpublish and archive it instead")
