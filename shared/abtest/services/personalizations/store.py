"""Personalizations in the catalog: changed by one commit with audit and outbox rows, then published."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from abtest.contract.base import PublicationWarning
from abtest.domain.personalizations.change import Change, audit_diff
from abtest.domain.personalizations.editing import SUBJECT
from abtest.domain.personalizations.model import Personalization
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.kit.clock import Timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import AuditRow, Commit, NameTakenError
from abtest.services.context import Caller, World
from abtest.services.personalizations.records import (
    personalization_in,
    put_of,
    remove_of,
    renaming_of,
)
from abtest.services.publication.budget import CodeBudget
from abtest.services.retrying import refuse_other_version, retried
from abtest.services.storefronts import Storefronts, warning_of

Decision = Callable[[Personalization, Timestamp], Change]


@dataclass(frozen=True, slots=True)
class Published:
    """A personalization that is stored, and why storefronts may not know it yet: empty when they do."""

    personalization: Personalization
    reasons: Sequence[str] = ()

    @property
    def warning(self) -> PublicationWarning | None:
        """What the answer says of the publication."""
        return warning_of(self.reasons)


class PersonalizationStore:
    """Loads, decides again when somebody was faster, commits, publishes."""

    def __init__(self, world: World, storefronts: Storefronts, budget: CodeBudget) -> None:
        self.world = world
        self.storefronts = storefronts
        self._budget = budget

    def load(self, shop_id: str, personalization_id: str) -> Personalization:
        """The personalization with this id. Raises NotFoundError, also for other shops' ids."""
        record = self.world.catalog.get(shop_id, "PZN", personalization_id)
        if record is None:
            raise NotFoundError("no such personalization")
        return personalization_in(record)

    def change(
        self, caller: Caller, personalization_id: str, decide: Decision, *, expected_version: int | None = None
    ) -> Published:
        """Load, decide, commit, publish. An empty change is neither committed nor published.

        Raises VersionConflictError when the caller's version is not the stored one, StaleVersionError when the race
        was lost again and again, and whatever `decide` raises.
        """

        def attempt() -> Published:
            before = self.load(caller.shop_id, personalization_id)
            refuse_other_version(expected_version, before.version)
            change = decide(before, self.world.now())
            return Published(before) if change.is_empty else self.save(caller, change)

        return retried(attempt)

    def save(self, caller: Caller, change: Change, *, beside: Sequence[AuditRow] = ()) -> Published:
        """Commit a change, with further audit rows `beside` its own, and publish what shoppers see.

        Raises StaleVersionError, KeyTakenError, and TooLargeError for what could not be published.
        """
        if change.after is not None:
            self._budget.admit_personalization(change.before, change.after)
        before, subject, renaming = change.before, change.subject, renaming_of(change)
        after = change.after and replace(change.after, version=(before.version if before else 0) + 1)
        row = self.world.publish_row(subject.shop_id) if change.affects_shoppers else None
        commit = Commit(
            puts=[put_of(before, after)] if after else [],
            removes=[remove_of(before)] if before and not after else [],
            claims=renaming.claims(),
            releases=renaming.releases(),
            audit=[self._audit_row(caller, change), *beside],
            outbox=[row] if row else [],
        )
        try:
            self.world.catalog.commit(commit)
        except NameTakenError as error:
            message = f"another personalization of {subject.environment_key} has the key {subject.key}"
            raise KeyTakenError(message) from error
        return Published(after or subject, self.storefronts.refresh(subject.shop_id, row) if row else ())

    def _audit_row(self, caller: Caller, change: Change) -> AuditRow:
        subject = change.subject
        return self.world.audit_row(
            user_id=caller.user_id,
            shop_id=subject.shop_id,
            action=change.action,
            entity=(SUBJECT, subject.id, subject.name),
            diff=audit_diff(change),
        )
