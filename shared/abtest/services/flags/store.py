"""Flags in the catalog: found by id or key, changed by one commit with audit and outbox rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from abtest.contract.base import PublicationWarning
from abtest.domain.flags.change import Change
from abtest.domain.flags.model import Flag
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.kit.clock import Timestamp
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import is_uuid
from abtest.ports.catalog import NameTakenError
from abtest.services.context import Caller, World
from abtest.services.flags.records import commit_of, flag_in, key_name
from abtest.services.publication.budget import CodeBudget
from abtest.services.retrying import refuse_other_version, retried
from abtest.services.storefronts import Storefronts, warning_of

Decision = Callable[[Flag, Timestamp], Change]


@dataclass(frozen=True, slots=True)
class Reference:
    """A flag's id, or its key in an environment."""

    id_or_key: str
    environment_key: str


@dataclass(frozen=True, slots=True)
class Saved:
    """A flag that is stored, and why storefronts may not know it yet: empty when they do."""

    flag: Flag
    reasons: Sequence[str] = ()

    @property
    def warning(self) -> PublicationWarning | None:
        """What the answer adds."""
        return warning_of(self.reasons)


class FlagStore:
    """Loads, decides again when somebody was faster, commits, publishes."""

    def __init__(self, world: World, storefronts: Storefronts, budget: CodeBudget) -> None:
        self.world = world
        self._storefronts = storefronts
        self._budget = budget

    def load(self, shop_id: str, reference: Reference) -> Flag:
        """The flag with this id or key. Raises NotFoundError, also for other shops' flags."""
        found = self._by_id(shop_id, reference.id_or_key) if is_uuid(reference.id_or_key) else None
        found = found or self._by_key(shop_id, reference)
        if found is None:
            raise NotFoundError("no such flag")
        return found

    def change(
        self, caller: Caller, reference: Reference, decide: Decision, *, expected_version: int | None = None
    ) -> Saved:
        """Load, decide, commit, publish. An empty change is neither committed nor published.

        Raises VersionConflictError when the caller's version is not the stored one, StaleVersionError when the race
        was lost again and again, and whatever `decide` raises.
        """

        def attempt() -> Saved:
            flag = self.load(caller.shop_id, reference)
            refuse_other_version(expected_version, flag.version)
            change = decide(flag, self.world.now())
            return Saved(flag) if change.is_empty else self.save(caller, change)

        return retried(attempt)

    def save(self, caller: Caller, change: Change) -> Saved:
        """Commit a change with its rows and publish what shoppers see.

        Raises StaleVersionError, KeyTakenError, and TooLargeError for what could not be published.
        """
        if change.after is not None:
            self._budget.admit_flag(change.before, change.after)
        subject = change.subject
        after = change.after and replace(change.after, version=(change.before.version if change.before else 0) + 1)
        row = self.world.publish_row(subject.shop_id) if change.affects_storefronts else None
        audit = self.world.audit_row(
            user_id=caller.user_id,
            shop_id=subject.shop_id,
            action=change.action,
            entity=("flag", subject.id, subject.name),
            diff=change.diff,
        )
        try:
            self.world.catalog.commit(
                replace(commit_of(change, after), audit=[audit], outbox=[row] if row is not None else [])
            )
        except NameTakenError as error:
            raise KeyTakenError(f"{subject.environment_key} has a flag with the key {subject.key}") from error
        return Saved(after or subject, self._storefronts.refresh(subject.shop_id, row) if row is not None else ())

    def refresh(self, flag: Flag) -> Saved:
        """Publish once more what is stored."""
        return Saved(flag, self._storefronts.refresh(flag.shop_id))

    def _by_id(self, shop_id: str, flag_id: str) -> Flag | None:
        record = self.world.catalog.get(shop_id, "FLAG", flag_id)
        return flag_in(record) if record else None

    def _by_key(self, shop_id: str, reference: Reference) -> Flag | None:
        environment, key = reference.environment_key, reference.id_or_key
        found = self.world.catalog.resolve(shop_id, key_name(environment, key))
        flag = self._by_id(shop_id, found[1]) if found else None
        # The key may have moved between the two reads.
        return flag if flag and (flag.environment_key, flag.key) == (environment, key) else None
