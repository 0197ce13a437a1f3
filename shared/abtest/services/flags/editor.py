"""Creating, editing, moving and deleting flags."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import Consent
from abtest.domain.flags import editing
from abtest.domain.flags.change import is_published
from abtest.domain.flags.model import Flag
from abtest.domain.flags.variants import VariantKey, with_variants
from abtest.domain.rollouts.lifecycle import Action, require_deletable
from abtest.services.aggregates import Decide, Saved
from abtest.services.context import Caller
from abtest.services.flags.store import FlagStore, Reference
from abtest.services.republication import Republication
from abtest.services.retries import Versions
from abtest.services.reusable.references import refuse_unknown_references
from abtest.services.scopes import require_scope

Given = Mapping[str, Any]
ACTIVATE_SCOPE = "flags:activate"


class FlagEditor:
    """Use cases that change flags."""

    def __init__(self, store: FlagStore, republication: Republication) -> None:
        self._store = store
        self._republication = republication

    def create(self, caller: Caller, given: Given) -> Saved[Flag]:
        """Create a flag from the fields of FeatureFlagInput, a draft unless `activate` is true.

        Raises FieldScopeRequiredError, KeyTakenError and the errors of the domain's rules.
        """
        fields = dict(given)
        activate = bool(fields.pop("activate", False))
        if activate:
            require_scope(caller, ACTIVATE_SCOPE, field="activate")
        key, name = fields.pop("key"), fields.pop("name")

        flag_id = self._store.world.new_id()

        def make(occasion: Occasion) -> Flag:
            blank = Flag(
                id=flag_id,
                shop_id=caller.shop_id,
                key=key,
                name=name,
                created_at=occasion.now,
                updated_at=occasion.now,
            )
            flag = editing.begin(blank, fields, activate=activate)
            self._check_references(blank, flag)
            return flag

        return self._store.add(caller, flag_id, make)

    def update(
        self, caller: Caller, reference: Reference, given: Given, *, consent: Consent, expected_version: Versions
    ) -> Saved[Flag]:
        """Merge the given fields in. Raises LiveImpactError, KeyTakenError and the errors of the domain's rules."""

        def decide(flag: Flag, occasion: Occasion) -> Change[Flag]:
            after = editing.apply(flag, given)
            change = editing.settle(flag, after, occasion.now, action="flag.update", consent=consent)
            self._check_references(flag, after)
            return change

        return self._change(caller, reference, decide, expected_version)

    def set_variants(
        self,
        caller: Caller,
        reference: Reference,
        given: Sequence[tuple[VariantKey, Any]],
        *,
        consent: Consent,
        expected_version: Versions,
    ) -> Saved[Flag]:
        """Replace both values. Raises LiveImpactError, and ValidationFailedError unless each is given once."""

        def decide(flag: Flag, occasion: Occasion) -> Change[Flag]:
            after = with_variants(flag, given)
            return editing.settle(flag, after, occasion.now, action="flag.set_variants", consent=consent)

        return self._change(caller, reference, decide, expected_version)

    def act(self, caller: Caller, reference: Reference, action: Action, *, expected_version: Versions) -> Saved[Flag]:
        """Carry the action out. One whose target is the present state changes nothing and publishes again."""

        def decide(flag: Flag, occasion: Occasion) -> Change[Flag]:
            return editing.act(flag, action, occasion.now)

        saved = self._change(caller, reference, decide, expected_version)
        # A draft, an archived flag and one for servers are in no publication, so there is nothing to repeat.
        if saved.changed or not is_published(saved.value):
            return saved
        return self._republication.of_unchanged(saved.value)

    def delete(self, caller: Caller, reference: Reference, *, expected_version: Versions) -> None:
        """Delete a draft. Raises NotDeletableError."""
        self._store.remove(
            caller,
            partial(self._store.load, caller.shop_id, reference),
            expected_version=expected_version,
            check=lambda flag: require_deletable(flag, editing.SUBJECT),
        )

    def _change(
        self, caller: Caller, reference: Reference, decide: Decide[Flag], expected_version: Versions
    ) -> Saved[Flag]:
        load = partial(self._store.load, caller.shop_id, reference)
        return self._store.change(caller, load, decide, expected_version=expected_version)

    def _check_references(self, before: Flag, after: Flag) -> None:
        """Pages and audiences that the targeting names must be there."""
        catalog = self._store.world.catalog
        refuse_unknown_references(catalog, after.shop_id, after.targeting, before=before.targeting)
