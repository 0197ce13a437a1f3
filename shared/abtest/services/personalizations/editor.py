"""Editor of personalizations: creation, edits, copies, deletion, and moves between states."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count, takewhile
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import Consent
from abtest.domain.personalizations import editing, experiences, rules
from abtest.domain.personalizations.duplication import copy_key, duplicate
from abtest.domain.personalizations.model import Personalization
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.domain.rollouts.lifecycle import Action, begun, require_deletable
from abtest.ports.scripts import ScriptChecker
from abtest.services.aggregates import Saved
from abtest.services.context import Caller
from abtest.services.experiments.scripts import refuse_broken_scripts
from abtest.services.goals import shop_goal_ids
from abtest.services.personalizations.goals import GOAL_FIELDS, with_goals
from abtest.services.personalizations.store import PersonalizationStore, key_name
from abtest.services.republication import Republication
from abtest.services.retries import Versions
from abtest.services.reusable.references import refuse_unknown_references
from abtest.services.scopes import require_scope

Given = Mapping[str, Any]
ACTIVATE_SCOPE = "personalizations:activate"
COPIES = 100
"""Keys that a copy tries before it gives up."""

_PARTS = GOAL_FIELDS | {"activate", "experience"}


class PersonalizationEditor:
    """Use cases around a personalization as a whole."""

    def __init__(self, store: PersonalizationStore, checker: ScriptChecker, republication: Republication) -> None:
        self._store = store
        self._checker = checker
        self._republication = republication

    def create(self, caller: Caller, given: Given) -> Saved[Personalization]:
        """Create a draft, or with `activate` an active one, from the fields of PersonalizationInput.

        Raises KeyTakenError, FieldScopeRequiredError, InvalidScriptError and the errors of the domain's rules.
        """
        if given.get("activate"):
            require_scope(caller, ACTIVATE_SCOPE, field="activate")
        refuse_broken_scripts(given, self._checker)
        new_id = self._store.world.new_id()
        return self._store.add(caller, new_id, lambda occasion: self._new(caller, new_id, given, occasion))

    def update(
        self,
        caller: Caller,
        personalization_id: str,
        given: Given,
        *,
        consent: Consent,
        expected_version: Versions,
    ) -> Saved[Personalization]:
        """Merge the given fields in."""
        fields = {name: value for name, value in given.items() if name not in _PARTS}

        def decide(before: Personalization, occasion: Occasion) -> Change[Personalization]:
            after = with_goals(self._store.world.catalog, editing.apply(before, fields), given, occasion.now)
            self._check_references(before, after)
            return editing.settle(before, after, occasion.now, action="personalization.update", consent=consent)

        return self._store.change(caller, personalization_id, decide, expected_version=expected_version)

    def delete(self, caller: Caller, personalization_id: str, *, expected_version: Versions) -> None:
        """Remove a draft. Raises NotDeletableError."""
        self._store.remove(
            caller,
            personalization_id,
            expected_version=expected_version,
            check=lambda personalization: require_deletable(personalization, editing.SUBJECT),
        )

    def duplicate(
        self, caller: Caller, personalization_id: str, *, name: str | None, key: str | None
    ) -> Saved[Personalization]:
        """Create a draft with the same content under new ids; goals of the shop keep their ids.

        Raises KeyTakenError for a given key that is taken; otherwise a free key is chosen.
        """
        new_id = self._store.world.new_id()
        source = self._store.get(caller.shop_id, personalization_id)
        if key is not None:
            return self._copied(caller, new_id, source, name, key)
        for free in self._free_keys(source):
            try:
                return self._copied(caller, new_id, source, name, free)
            except KeyTakenError:
                continue  # another writer took it since it was looked up
        raise KeyTakenError(f"the keys {copy_key(source.key, 1)} to {copy_key(source.key, COPIES)} are taken")

    def act(
        self, caller: Caller, personalization_id: str, action: Action, *, expected_version: Versions
    ) -> Saved[Personalization]:
        """Carry the action out. One whose target is the present state changes nothing and publishes again."""

        def decide(before: Personalization, occasion: Occasion) -> Change[Personalization]:
            return editing.move(before, action, occasion.now)

        # Repeating an action is the documented way to repeat a failed publication.
        saved = self._store.change(caller, personalization_id, decide, expected_version=expected_version)
        return saved if saved.changed else self._republication.of_unchanged(saved.value)

    def _new(self, caller: Caller, new_id: str, given: Given, occasion: Occasion) -> Personalization:
        now, world = occasion.now, self._store.world
        life = begun(activate=bool(given.get("activate")), now=now)
        blank = Personalization(
            id=new_id,
            shop_id=caller.shop_id,
            key=given["key"],
            name=given["name"],
            status=life.status,
            activated_at=life.activated_at,
            experiences=(experiences.make(given.get("experience") or {}, world.new_id(), "experience."),),
            created_at=now,
            updated_at=now,
        )
        fields = {name: value for name, value in given.items() if name not in _PARTS}
        made = with_goals(world.catalog, replace(blank, **fields), given, now)
        rules.check(made)
        self._check_references(blank, made)
        return editing.begun(made)

    def _check_references(self, before: Personalization, after: Personalization) -> None:
        catalog = self._store.world.catalog
        refuse_unknown_references(catalog, after.shop_id, after.targeting, before=before.targeting)

    def _free_keys(self, source: Personalization) -> Iterator[str]:
        resolve = self._store.world.catalog.resolve
        for attempt in takewhile(lambda number: number <= COPIES, count(1)):
            key = copy_key(source.key, attempt)
            if resolve(source.shop_id, key_name(source.environment_key, key)) is None:
                yield key

    def _copied(
        self, caller: Caller, new_id: str, source: Personalization, name: str | None, key: str
    ) -> Saved[Personalization]:
        world = self._store.world
        shops = shop_goal_ids(world.catalog, caller.shop_id, [goal.id for goal in source.goals])

        def make(occasion: Occasion) -> Personalization:
            copy = duplicate(
                source,
                key=key,
                name=name,
                goal_ids={goal.id: goal.id if goal.id in shops else world.new_id() for goal in source.goals},
                new_id=world.new_id,
                now=occasion.now,
            )
            return replace(copy, id=new_id)

        note = {"source": source.id}
        return self._store.add(caller, new_id, make, action="personalization.duplicate", note=note)
