"""Use cases of ideas: created, listed in their order, changed, archived, deleted, linked to experiments."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from abtest.domain.backlog.ideas import (
    Idea,
    IdeaLink,
    LinkType,
    archived,
    detached,
    edited,
    idea_key,
    linked,
    number_of,
)
from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.diff import differences
from abtest.kit.errors import FieldError, LimitReachedError, NotFoundError, ValidationFailedError, refused
from abtest.ports.catalog import Commit, Head, Put, StaleVersionError, together
from abtest.services.aggregates import Aggregates, Saved
from abtest.services.backlog.records import IDEAS, StoredLinks, read_backlog, read_links
from abtest.services.context import Caller, World
from abtest.services.listing import Filters, Order, every_head
from abtest.services.names import id_of_experiment
from abtest.services.quotas import QUOTA_ATTEMPTS
from abtest.services.retries import Versions, retried

IdeaSort = Literal["rank", "-rank", "score", "-score", "created_at", "-created_at"]
MAX_IDEAS = 10_000
"""Ideas of a shop. Lists by rank or score sort so many."""

UNPLACED = 10**8 - 1


class Ideas(Aggregates[Idea]):
    """Ideas of shops. `get`, `page` and `remove` are those of every resource."""

    def __init__(self, world: World) -> None:
        super().__init__(world, IDEAS)

    def create(self, caller: Caller, fields: Mapping[str, Any]) -> Saved[Idea]:
        """Create an idea with the next number of the shop. Raises LimitReachedError."""
        idea_id = self.world.new_id()

        def make(occasion: Occasion) -> Idea:
            backlog = read_backlog(self.world.catalog, caller.shop_id)
            blank = Idea(
                id=idea_id,
                shop_id=caller.shop_id,
                key=idea_key(backlog.last_number + 1),
                title=fields["title"],
                created_by=caller.user_id,
                created_at=occasion.now,
                updated_at=occasion.now,
            )
            return edited(blank, fields, occasion.now)

        return self.add(caller, idea_id, make, attempts=QUOTA_ATTEMPTS)

    def update(
        self, caller: Caller, idea_id: str, changes: Mapping[str, Any], *, expected_version: Versions
    ) -> Saved[Idea]:
        """Change the given fields; any stage may follow any other. Raises NotFoundError."""

        def decide(before: Idea, occasion: Occasion) -> Change[Idea]:
            return Change(before=before, after=edited(before, changes, occasion.now), action="idea.update")

        return self.change(caller, idea_id, decide, expected_version=expected_version)

    def set_archived(
        self, caller: Caller, idea_id: str, is_archived: bool, *, expected_version: Versions
    ) -> Saved[Idea]:
        """Archive an idea, or take it back. Raises NotFoundError."""
        action = f"idea.{'archive' if is_archived else 'unarchive'}"

        def decide(before: Idea, occasion: Occasion) -> Change[Idea]:
            after = archived(before, is_archived=is_archived, now=occasion.now)
            return Change(before=before, after=after, action=action)

        return self.change(caller, idea_id, decide, expected_version=expected_version)

    def sorted_page(
        self, shop_id: str, filters: Filters, sort: IdeaSort, tag: str | None, *, limit: int, after: str | None
    ) -> tuple[list[Idea], str | None]:
        """Ideas in this order, and the key that continues the list. Raises LimitReachedError."""
        return self.page(
            shop_id,
            filters,
            limit=limit,
            after=after,
            admits_whole=lambda idea: tag is None or tag in idea.tags,
            order=Order(self._place(shop_id, sort.removeprefix("-")), sort.startswith("-")),
        )

    def heads_in_order(self, shop_id: str) -> list[Head]:
        """Heads of the ideas in the order of the backlog, without archived ones."""
        heads = (head for head in every_head(self.world.catalog, shop_id, "IDEA") if head.archived_at is None)
        return sorted(heads, key=self._place(shop_id, "rank"))

    def put_first(self, caller: Caller, ids: Sequence[str]) -> list[Idea]:
        """Put these ideas first, in this order; all others stay behind them as they are.

        Raises ValidationFailedError for an idea that is archived or does not exist.
        """
        mark = self.world.audit_row_id()

        def attempt() -> list[Idea]:
            catalog = self.world.catalog
            if self.world.is_stored(caller.shop_id, mark):
                return self.get_many(caller.shop_id, ids)
            ideas = self._in_use(caller.shop_id, ids)
            before = read_backlog(catalog, caller.shop_id)
            after = before.first(ids, (head.id for head in every_head(catalog, caller.shop_id, "IDEA")))
            if after == before:
                return ideas
            audit = self.world.audit_row(
                user_id=caller.user_id,
                shop_id=caller.shop_id,
                action="backlog.order",
                entity=("backlog", caller.shop_id, None),
                diff=differences({"order": list(before.order)}, {"order": list(after.order)}),
                row_id=mark,
            )
            catalog.commit(Commit(puts=[after.put(self.world.now())], audit=[audit]))
            return ideas

        return retried(attempt, QUOTA_ATTEMPTS)

    def link(self, caller: Caller, idea_id: str, experiment_id: str, link_type: LinkType) -> tuple[Idea, IdeaLink]:
        """Link an experiment of the shop; return the idea and the link.

        Raises NotFoundError, PrimaryLinkExistsError, ConflictError, LimitReachedError, ValidationFailedError.
        """
        link_id, mark = self.world.new_id(), self.world.audit_row_id()

        def attempt() -> Idea:
            # Read before the experiment: a launch in between writes this record, and the link is then repeated.
            links = self._links(caller.shop_id, experiment_id)
            record = self.world.catalog.get(caller.shop_id, "EXP", experiment_id)
            link = IdeaLink(
                id=link_id,
                experiment_id=experiment_id,
                link_type=link_type,
                created_by=caller.user_id,
                created_at=self.world.now(),
            )

            def decide(before: Idea, occasion: Occasion) -> Change[Idea]:
                if record is None:
                    raise refused("experiment_id", "there is no such experiment")
                after = linked(before, link, experiment_status=record.head.status or "", now=occasion.now)
                links.ideas.refuse_full()
                return Change(before=before, after=after, action="idea.link")

            extra = Commit(puts=[links.put(links.ideas.with_link(idea_id, link), self.world.now())])
            return self.change(caller, idea_id, decide, extra=extra, row_id=mark, attempts=1).value

        idea = retried(attempt)
        link = next((each for each in idea.links if each.experiment_id == experiment_id), None)
        if link is None:  # an earlier run of this request made it
            raise NotFoundError("the link was removed again meanwhile")
        return idea, link

    def detach(self, caller: Caller, idea_id: str, reference: str, *, expected_version: Versions) -> None:
        """Remove the link to an experiment, named by its id or public id. Raises NotFoundError."""
        experiment_id = id_of_experiment(self.world.catalog, caller.shop_id, reference) or ""
        mark = self.world.audit_row_id()

        def decide(before: Idea, occasion: Occasion) -> Change[Idea]:
            return Change(before=before, after=detached(before, experiment_id, occasion.now), action="idea.detach")

        def attempt() -> Saved[Idea]:
            extra = Commit(puts=[self._unlinked(caller.shop_id, experiment_id, idea_id)])
            return self.change(
                caller, idea_id, decide, expected_version=expected_version, extra=extra, row_id=mark, attempts=1
            )

        retried(attempt)

    def companions(self, pairs: Sequence[tuple[Idea | None, Idea | None]]) -> Commit:
        """Return the number of a new idea, and for a deleted one its experiments without it."""
        commits = []
        for before, after in pairs:
            if before is None and after is not None:
                commits.append(self._numbering(after))
            elif before is not None and after is None:
                linked_ids = [link.experiment_id for link in before.links]
                commits.append(Commit(puts=[self._unlinked(before.shop_id, each, before.id) for each in linked_ids]))
        return together(*commits)

    def _unlinked(self, shop_id: str, experiment_id: str, idea_id: str) -> Put:
        links = self._links(shop_id, experiment_id)
        return links.put(links.ideas.without(idea_id), self.world.now())

    def _links(self, shop_id: str, experiment_id: str) -> StoredLinks:
        return read_links(self.world.catalog, shop_id, experiment_id)

    def _numbering(self, idea: Idea) -> Commit:
        backlog = read_backlog(self.world.catalog, idea.shop_id)
        number = number_of(idea.key)
        if number <= backlog.last_number:
            raise StaleVersionError("another idea took this number")
        backlog = backlog.numbered(number)
        if backlog.last_number > MAX_IDEAS and self._count(idea.shop_id) >= MAX_IDEAS:
            raise LimitReachedError(f"a shop has at most {MAX_IDEAS:,} ideas; delete some first")
        return Commit(puts=[backlog.put(self.world.now())])

    def _count(self, shop_id: str) -> int:
        return len(self.world.catalog.list(shop_id, "IDEA", limit=MAX_IDEAS).heads)

    def _in_use(self, shop_id: str, ids: Sequence[str]) -> list[Idea]:
        ideas = {idea.id: idea for idea in self.get_many(shop_id, ids)}
        problems = [
            FieldError(f"ids[{place}]", "there is no such idea" if each not in ideas else "must not be archived")
            for place, each in enumerate(ids)
            if each not in ideas or ideas[each].archived_at is not None
        ]
        if problems:
            raise ValidationFailedError(f"{problems[0].path}: {problems[0].message}", fields=problems[:20])
        return [ideas[each] for each in ids]

    def _place(self, shop_id: str, field: str) -> Callable[[Head], tuple[str, str]]:
        """Return the sort key of a head: its value as a text that sorts, and its id."""
        if field == "score":
            return lambda head: (str(head.attributes.get("score") or ""), head.id)
        if field == "created_at":
            return lambda head: (head.created_at, head.id)
        places = {each: place for place, each in enumerate(read_backlog(self.world.catalog, shop_id).order)}

        def rank(head: Head) -> tuple[str, str]:
            # Behind all that were put in order, the others by their numbers. The place of these is fixed, so that a
            # cursor among them stays where it is when others are put in order.
            number = number_of(str(head.attributes["key"]))
            return f"{places.get(head.id, UNPLACED):08d}-{number:012d}", head.id

        return rank
