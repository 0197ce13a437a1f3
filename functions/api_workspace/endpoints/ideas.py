"""Routes of the backlog."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf, Pagination, Reference
from abtest.contract.ideas import (
    MAX_ORDERED,
    BacklogExperimentLink,
    Idea,
    IdeaCreate,
    IdeaDetachResponse,
    IdeaLinkCreate,
    IdeaLinkResponse,
    IdeaOrder,
    IdeaUpdate,
)
from abtest.domain.backlog.ideas import PrimaryLinkExistsError, Stage
from abtest.http.deps import Caller, IfMatch, Page, PathId, require, use
from abtest.http.listing import Archived, NamePart, UpdatedSince
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.backlog.ideas import Ideas, IdeaSort
from abtest.services.backlog.shown import ShownIdeas
from abtest.services.listing import Filters

Reader = Annotated[Caller, require("backlog:read")]
Writer = Annotated[Caller, require("backlog:write")]
Uses = Annotated[Ideas, use(Ideas)]
Shown = Annotated[ShownIdeas, use(ShownIdeas)]

router = Router("/backlog/ideas", tag="Backlog")


@router.get("", operation_id="listIdeas", responses=errors(LimitReachedError))
def list_ideas(
    caller: Reader,
    page: Page,
    ideas: Uses,
    archived: Archived = "false",
    q: NamePart = None,
    updated_since: UpdatedSince = None,
    sort: Annotated[
        IdeaSort, Query(description="`rank` is the order of the backlog; ideas without a score come first in `score`.")
    ] = "rank",
    stage: Annotated[Stage | None, Query(description="Only ideas of this stage.")] = None,
    tag: Annotated[str | None, Query(max_length=50, description="Only ideas with this tag.")] = None,
) -> ListOf[Idea]:
    """List ideas without their links, in the order of the backlog. `q` searches titles and keys."""
    filters = Filters(archived=archived, q=q, updated_since=updated_since).where(status=stage)
    items, last = ideas.sorted_page(caller.shop_id, filters, sort, tag, limit=page.limit, after=page.after)
    return page.page([Idea.of(item) for item in items], last)


@router.post("", operation_id="createIdea", status_code=201, responses=errors(LimitReachedError))
def create_idea(body: IdeaCreate, caller: Writer, ideas: Uses, shown: Shown) -> Idea:
    """Create an idea. Its key (`IDEA-12`) is never used again; a shop has at most 10,000 ideas.

    `score` is impact times confidence times ease, over 10, and null until all three are known.
    """
    return shown.whole(ideas.create(caller, body.provided()).value)


@router.put("/order", operation_id="orderIdeas", responses=errors(ValidationFailedError))
def order_ideas(body: IdeaOrder, caller: Writer, ideas: Uses) -> ListOf[Idea]:
    """Put up to 500 ideas first, in this order. All others stay behind them as they are; new ideas come last.

    An id of an archived idea, or of another shop, is 422, and nothing is changed.
    """
    items = [Idea.of(item) for item in ideas.put_first(caller, body.ids)]
    return ListOf[Idea](data=items, pagination=Pagination(limit=MAX_ORDERED, next_cursor=None, has_more=False))


@router.get("/{idea_id}", operation_id="getIdea", responses=errors(NotFoundError))
def get_idea(idea_id: PathId, caller: Reader, ideas: Uses, shown: Shown) -> Idea:
    """Return one idea, with its experiments and what became of them."""
    return shown.whole(ideas.get(caller.shop_id, idea_id))


@router.patch("/{idea_id}", operation_id="updateIdea", responses=errors(NotFoundError))
def update_idea(
    idea_id: PathId, body: IdeaUpdate, caller: Writer, ideas: Uses, shown: Shown, if_match: IfMatch
) -> Idea:
    """Change an idea.

    Any stage may follow any other. It also moves by itself: to `planned` when a primary experiment is linked, to
    `in_test` with its launch, to `done` with its completion, to `triaged` without it.
    """
    return shown.whole(ideas.update(caller, idea_id, body.provided(), expected_version=if_match).value)


@router.delete("/{idea_id}", operation_id="deleteIdea", status_code=204, responses=errors(NotFoundError))
def delete_idea(idea_id: PathId, caller: Writer, ideas: Uses, if_match: IfMatch) -> None:
    """Delete an idea with its links. Its key is not used again."""
    ideas.remove(caller, idea_id, expected_version=if_match)


@router.post("/{idea_id}/archive", operation_id="archiveIdea", responses=errors(NotFoundError))
def archive_idea(idea_id: PathId, caller: Writer, ideas: Uses, shown: Shown, if_match: IfMatch) -> Idea:
    """Hide an idea from lists. It keeps key, links and stage."""
    return shown.whole(ideas.set_archived(caller, idea_id, True, expected_version=if_match).value)


@router.post("/{idea_id}/unarchive", operation_id="unarchiveIdea", responses=errors(NotFoundError))
def unarchive_idea(idea_id: PathId, caller: Writer, ideas: Uses, shown: Shown, if_match: IfMatch) -> Idea:
    """Show an archived idea in lists again."""
    return shown.whole(ideas.set_archived(caller, idea_id, False, expected_version=if_match).value)


@router.get("/{idea_id}/links", operation_id="listIdeaLinks", responses=errors(NotFoundError))
def list_links(idea_id: PathId, caller: Reader, ideas: Uses) -> ListOf[BacklogExperimentLink]:
    """List the links of an idea, at most 40, oldest first."""
    idea = ideas.get(caller.shop_id, idea_id)
    links = [BacklogExperimentLink.of(idea, link).at(1) for link in idea.links]
    return ListOf[BacklogExperimentLink](
        data=links, pagination=Pagination(limit=MAX_ORDERED, next_cursor=None, has_more=False)
    )


@router.post(
    "/{idea_id}/links",
    operation_id="linkIdea",
    status_code=201,
    responses=errors(NotFoundError, ConflictError, PrimaryLinkExistsError, LimitReachedError, ValidationFailedError),
)
def link_idea(idea_id: PathId, body: IdeaLinkCreate, caller: Writer, ideas: Uses) -> IdeaLinkResponse:
    """Link an experiment of the shop.

    An idea has one primary experiment and an experiment one primary idea (409 `primary_link_exists`). An idea has at
    most 40 experiments, an experiment at most 5 ideas. A primary experiment moves an idea that is new or triaged to the
    stage of the experiment.
    """
    idea, link = ideas.link(caller, idea_id, body.experiment_id, body.link_type)
    return IdeaLinkResponse(link=BacklogExperimentLink.of(idea, link))


@router.delete("/{idea_id}/links/{experiment_id}", operation_id="detachIdea", responses=errors(NotFoundError))
def detach_idea(
    idea_id: PathId, experiment_id: Reference, caller: Writer, ideas: Uses, if_match: IfMatch
) -> IdeaDetachResponse:
    """Remove the link to an experiment, named by its id or public id. `If-Match` is that of the idea.

    Without its primary experiment the idea is `triaged` again.
    """
    ideas.detach(caller, idea_id, experiment_id, expected_version=if_match)
    return IdeaDetachResponse(detached=True, backlog_item_id=idea_id)
