"""Experiments in the catalog: found by any of their ids, changed by one commit with audit and outbox rows."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from abtest.domain.experiments.change import Change, Occasion
from abtest.domain.experiments.diff import audit_diff
from abtest.domain.experiments.errors import SlugTakenError
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.experiments.variations import find
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import public_id
from abtest.ports.catalog import AuditRow, Commit, NameTakenError, OutboxRow
from abtest.services.context import Caller, World
from abtest.services.experiments.publishing import Published, Publishing
from abtest.services.experiments.records import (
    experiment_of,
    put_of,
    remove_of,
    renaming_of,
    slug_name,
    variation_name,
)
from abtest.services.publication.budget import CodeBudget
from abtest.services.retrying import refuse_other_version, retried

DRAWS = 5
NOTHING_BESIDE = Commit()
Result = TypeVar("Result")
Decision = Callable[[Experiment, Occasion], Change]


class ExperimentStore:
    """Loads, decides again when somebody was faster, commits, publishes."""

    def __init__(self, world: World, publishing: Publishing, budget: CodeBudget) -> None:
        self.world = world
        self.publishing = publishing
        self._budget = budget

    def load(self, shop_id: str, reference: str) -> Experiment:
        """The experiment with this id or public id. Raises NotFoundError, also for other shops' ids."""
        return experiment_of(self.world.catalog, shop_id, reference)

    def load_variation(self, shop_id: str, reference: str) -> tuple[Experiment, Variation]:
        """The variation with this id or public id, and its experiment. Raises NotFoundError."""
        experiment_id = self._resolved(shop_id, variation_name(reference))
        if experiment_id is None:
            raise NotFoundError("no such variation")
        experiment = self.load(shop_id, experiment_id)
        return experiment, find(experiment, reference)

    def change(
        self,
        caller: Caller,
        reference: str,
        decide: Decision,
        *,
        expected_version: int | None = None,
        beside: Commit = NOTHING_BESIDE,
    ) -> Published:
        """Load, decide, commit, publish. An empty change is neither committed nor published.

        `beside`: records, outbox rows and messages that are committed with the change or not at all.

        Raises VersionConflictError when the caller's version is not the stored one, StaleVersionError when the race
        was lost again and again, and whatever `decide` raises.
        """

        def attempt() -> Published:
            experiment = self.load(caller.shop_id, reference)
            refuse_other_version(expected_version, experiment.version)
            change = decide(experiment, self.occasion(caller))
            return Published(experiment) if change.is_empty else self.save(caller, change, beside)

        return retried(attempt)

    def save(self, caller: Caller, change: Change, beside: Commit = NOTHING_BESIDE) -> Published:
        """Commit a change with its rows and publish what shoppers see.

        Raises StaleVersionError, SlugTakenError, and TooLargeError for what could not be published.
        """
        subject = change.subject
        if change.after is not None:
            self._budget.admit_experiment(change.before, change.after)
        after = change.after and replace(change.after, version=(change.before.version if change.before else 0) + 1)
        rows, renaming = self._outbox(change), renaming_of(change)
        commit = Commit(
            puts=[*([put_of(change, after)] if after else []), *beside.puts],
            removes=[remove_of(change.before)] if change.before and not after else [],
            claims=renaming.claims(),
            releases=renaming.releases(),
            audit=[self._audit_row(caller, change)],
            outbox=[*rows, *beside.outbox],
            inbox=beside.inbox,
        )
        try:
            self.world.catalog.commit(commit)
        except NameTakenError as error:
            raise self._told(subject, error) from error
        publish = next((row for row in rows if row.topic == "publish"), None)
        return self.publishing.publish(after or subject, publish) if publish else Published(after or subject)

    def occasion(self, caller: Caller) -> Occasion:
        """This moment, this caller."""
        return Occasion(now=self.world.now(), user_id=caller.user_id, event_id=self.world.new_id())

    def new_identity(self) -> tuple[str, str]:
        """A fresh id and a public id that nobody has yet, most likely: the commit finds out."""
        return self.world.new_id(), public_id(self.world.random)

    def _resolved(self, shop_id: str, name: str) -> str | None:
        found = self.world.catalog.resolve(shop_id, name)
        return found[1] if found else None

    def _audit_row(self, caller: Caller, change: Change) -> AuditRow:
        subject = change.subject
        return self.world.audit_row(
            user_id=caller.user_id,
            shop_id=subject.shop_id,
            action=change.action,
            entity=("experiment", subject.id, subject.name),
            diff=audit_diff(change),
        )

    def _outbox(self, change: Change) -> list[OutboxRow]:
        subject = change.subject
        facts = {"experiment_id": subject.id, "experiment_name": subject.name}
        payloads = [{"event": event.name, **facts, **event.facts} for event in change.events]
        rows = _in_order([self.world.outbox_row(subject.shop_id, "webhook", payload) for payload in payloads])
        return [*rows, self.world.publish_row(subject.shop_id)] if change.affects_shoppers else rows

    @staticmethod
    def _told(subject: Experiment, error: NameTakenError) -> Exception:
        slug = subject.slug
        if slug is not None and error.name == slug_name(slug):
            return SlugTakenError(f"the slug {slug} belongs to another experiment")
        return PublicIdTakenError(error.name)


def _in_order(rows: Sequence[OutboxRow]) -> list[OutboxRow]:
    """Rows of one change, with ids and moments that rise: the outbox is sorted by both."""
    ids, moment = sorted(row.id for row in rows), max((row.created_at for row in rows), default="")
    return [replace(row, id=row_id, created_at=moment) for row, row_id in zip(rows, ids, strict=True)]


class PublicIdTakenError(Exception):
    """A public id that was drawn is somebody else's: draw again."""


def redrawn(save: Callable[[], Result]) -> Result:
    """What `save` returns, which draws fresh public ids each time it is called: not all of five are taken."""
    for _ in range(DRAWS - 1):
        try:
            return save()
        except PublicIdTakenError:
            continue
    return save()
