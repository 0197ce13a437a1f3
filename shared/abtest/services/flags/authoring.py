"""Making, editing, moving and deleting flags."""

from collections.abc import Mapping, Sequence
from typing import Any

from abtest.domain.changes.consent import Consent
from abtest.domain.flags import editing
from abtest.domain.flags.change import Change, is_published
from abtest.domain.flags.model import Flag
from abtest.domain.flags.variants import VariantKey, with_variants
from abtest.domain.rollouts.lifecycle import Action
from abtest.kit.clock import Timestamp
from abtest.services.context import Caller
from abtest.services.flags.store import FlagStore, Reference, Saved
from abtest.services.reusable.references import refuse_unknown_references
from abtest.services.scopes import require_scope

Stated = Mapping[str, Any]
ACTIVATE_SCOPE = "flags:activate"


class Authoring:
    """Use cases that change flags."""

    def __init__(self, store: FlagStore) -> None:
        self._store = store

    def create(self, caller: Caller, stated: Stated) -> Saved:
        """A flag from the fields of FeatureFlagInput, a draft unless `activate` is true.

        Raises FieldScopeRequiredError, KeyTakenError and the errors of the domain's rules.
        """
        fields = dict(stated)
        activate = bool(fields.pop("activate", False))
        if activate:
            require_scope(caller, ACTIVATE_SCOPE, field="activate")
        now = self._store.world.now()
        blank = Flag(
            id=self._store.world.new_id(),
            shop_id=caller.shop_id,
            key=fields.pop("key"),
            name=fields.pop("name"),
            created_at=now,
            updated_at=now,
        )
        change = editing.begin(blank, fields, activate=activate)
        self._check_references(blank, change.subject)
        return self._store.save(caller, change)

    def update(
        self, caller: Caller, reference: Reference, stated: Stated, *, consent: Consent, expected_version: int | None
    ) -> Saved:
        """Merge the stated fields in. Raises LiveImpactError, KeyTakenError and the errors of the domain's rules."""

        def decide(flag: Flag, now: Timestamp) -> Change:
            after = editing.apply(flag, stated)
            change = editing.settle(flag, after, now, action="flag.update", consent=consent)
            self._check_references(flag, after)
            return change

        return self._store.change(caller, reference, decide, expected_version=expected_version)

    def set_variants(
        self,
        caller: Caller,
        reference: Reference,
        stated: Sequence[tuple[VariantKey, Any]],
        *,
        consent: Consent,
        expected_version: int | None,
    ) -> Saved:
        """Replace both values. Raises LiveImpactError, and ValidationFailedError unless each is stated once."""

        def decide(flag: Flag, now: Timestamp) -> Change:
            after = with_variants(flag, stated)
            return editing.settle(flag, after, now, action="flag.set_variants", consent=consent)

        return self._store.change(caller, reference, decide, expected_version=expected_version)

    def act(self, caller: Caller, reference: Reference, action: Action, *, expected_version: int | None) -> Saved:
        """Carry the action out. One whose target is the present state changes nothing and publishes again."""
        acted = False

        def decide(flag: Flag, now: Timestamp) -> Change:
            nonlocal acted
            change = editing.act(flag, action, now)
            acted = not change.is_empty
            return change

        saved = self._store.change(caller, reference, decide, expected_version=expected_version)
        return saved if acted or not is_published(saved.flag) else self._store.refresh(saved.flag)

    def delete(self, caller: Caller, reference: Reference, *, expected_version: int | None) -> None:
        """Remove a draft. Raises NotDeletableError."""
        self._store.change(
            caller, reference, lambda flag, _now: editing.remove(flag), expected_version=expected_version
        )

    def _check_references(self, before: Flag, after: Flag) -> None:
        """Pages and audiences that the targeting names must be there."""
        catalog = self._store.world.catalog
        refuse_unknown_references(catalog, after.shop_id, after.targeting, before=before.targeting)
