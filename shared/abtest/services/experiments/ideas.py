"""Ideas of the backlog that experiments test: linked when one is created, moved in the commit of what becomes of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.domain.backlog.ideas import (
    ExperimentEvent,
    Idea,
    IdeaLink,
    IdeasOfExperiment,
    detached,
    followed,
    linked,
)
from abtest.domain.changes.change import Change
from abtest.domain.experiments.model import Experiment
from abtest.kit.errors import NotFoundError, refused
from abtest.ports.catalog import Commit, together
from abtest.services.aggregates import NOTHING, Aggregates
from abtest.services.backlog.records import IDEAS, primary_name, read_links
from abtest.services.context import Caller, World
from abtest.services.experiments.system import SYSTEM_USER_ID

Pairs = Sequence[tuple[Experiment | None, Experiment | None]]


@dataclass(frozen=True, slots=True)
class IdeasOfExperiments:
    """Changes of ideas that are part of changes of experiments."""

    world: World

    def following(self, pairs: Pairs) -> Commit:
        """Return the changes of ideas that follow from these changes of experiments (before, after)."""
        commits = []
        for before, after in pairs:
            if before is not None and after is None:
                commits.append(self._deleted(before))
            elif before is not None and after is not None and (event := event_of(before, after)):
                commits.append(self._moved(after, event))
        return together(*commits)

    def linking(self, caller: Caller, idea_id: str, experiment_id: str, link_id: str) -> Commit:
        """Return the link of a new experiment: the primary one, or a follow-up where the idea has a primary one.

        Raises ValidationFailedError for an idea that does not exist, LimitReachedError.
        """
        now, links = self.world.now(), read_links(self.world.catalog, caller.shop_id, experiment_id)
        try:
            before = self._ideas.get(caller.shop_id, idea_id)
        except NotFoundError as error:
            raise refused("idea_id", "there is no such idea") from error
        link = IdeaLink(
            id=link_id,
            experiment_id=experiment_id,
            link_type="follow_up" if before.primary else "primary",
            created_by=caller.user_id,
            created_at=now,
        )
        change = Change(
            before=before, after=linked(before, link, experiment_status="draft", now=now), action="idea.link"
        )
        written = Commit(puts=[links.put(links.ideas.with_link(idea_id, link), now)])
        return together(written, self._staged(caller.user_id, [change]))

    def _moved(self, experiment: Experiment, event: ExperimentEvent) -> Commit:
        links, now = read_links(self.world.catalog, experiment.shop_id, experiment.id), self.world.now()
        idea = self._ideas.find(experiment.shop_id, primary_name(experiment.id))
        action = "idea.follow_experiment"
        changes = [] if idea is None else [Change(before=idea, after=followed(idea, event, now), action=action)]
        # Also without an idea: one that is linked at this moment must see what the experiment has become.
        return together(Commit(puts=[links.put(links.ideas, now)]), self._staged(SYSTEM_USER_ID, changes))

    def _deleted(self, experiment: Experiment) -> Commit:
        links, now = read_links(self.world.catalog, experiment.shop_id, experiment.id), self.world.now()
        ideas = self._ideas.get_many(experiment.shop_id, [each.idea_id for each in links.ideas.ideas])
        changes = [
            Change(before=idea, after=detached(idea, experiment.id, now), action="idea.detach") for idea in ideas
        ]
        # Kept empty, so that a link which is made at this moment loses, and then finds no experiment.
        emptied = Commit(puts=[links.put(IdeasOfExperiment(), now)])
        return together(emptied, self._staged(SYSTEM_USER_ID, changes))

    @property
    def _ideas(self) -> Aggregates[Idea]:
        """Return the ideas without the companions of their own use cases: their experiment is written here."""
        return Aggregates(self.world, IDEAS)

    def _staged(self, user_id: str, changes: Sequence[Change[Idea]]) -> Commit:
        ideas = self._ideas
        differing = [change for change in changes if not change.is_empty]
        if not differing:
            return NOTHING
        return ideas.stage(differing, [ideas.audit_row(user_id, change) for change in differing]).commit


def event_of(before: Experiment, after: Experiment) -> ExperimentEvent | None:
    """Return what became of an experiment. A resumed one goes on; a restarted one is launched again."""
    if after.status == "completed" != before.status:
        return "completed"
    is_resumed = before.status == "paused" and after.assignment_epoch == before.assignment_epoch
    return "launched" if after.status == "running" != before.status and not is_resumed else None
