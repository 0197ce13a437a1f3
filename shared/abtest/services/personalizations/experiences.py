"""Experiences of a personalization, one by one, and the rules that choose among them."""

from collections.abc import Callable, Sequence

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import Consent
from abtest.domain.personalizations import editing, experiences
from abtest.domain.personalizations.model import Experience, Personalization
from abtest.domain.personalizations.shapes import ExperienceFields, RuleFields
from abtest.domain.targeting.shapes import Targeting
from abtest.ports.scripts import ScriptChecker
from abtest.services.aggregates import Saved
from abtest.services.context import Caller
from abtest.services.experiments.scripts import refuse_broken_scripts
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.retries import Versions
from abtest.services.reusable.references import refuse_unknown_references

Edit = Callable[[Personalization], Personalization]


class Experiences:
    """Use cases of experiences and rules; each is an edit of the personalization."""

    def __init__(self, store: PersonalizationStore, checker: ScriptChecker) -> None:
        self._store = store
        self._checker = checker

    def add(
        self,
        caller: Caller,
        personalization_id: str,
        given: ExperienceFields,
        *,
        consent: Consent,
        expected_version: Versions,
    ) -> tuple[Saved[Personalization], Experience]:
        """One more experience. Raises KeyTakenError, InvalidScriptError, LimitReachedError."""
        refuse_broken_scripts(given, self._checker)
        # A UUID cannot be taken, so a repeated attempt may use the same one.
        experience_id = self._store.world.new_id()

        def edit(personalization: Personalization) -> Personalization:
            return experiences.add(personalization, given, experience_id)

        saved = self._edit(caller, personalization_id, "add_experience", edit, consent, expected_version)
        return saved, next(each for each in saved.value.experiences if each.id == experience_id)

    def update(
        self,
        caller: Caller,
        personalization_id: str,
        key: str,
        given: ExperienceFields,
        *,
        consent: Consent,
        expected_version: Versions,
    ) -> tuple[Saved[Personalization], Experience]:
        """Change the given fields of an experience. Raises NotFoundError, InvalidScriptError."""
        refuse_broken_scripts(given, self._checker)

        def edit(personalization: Personalization) -> Personalization:
            return experiences.edit(personalization, key, given)

        saved = self._edit(caller, personalization_id, "update_experience", edit, consent, expected_version)
        return saved, experiences.find(saved.value, key)

    def remove(
        self, caller: Caller, personalization_id: str, key: str, *, consent: Consent, expected_version: Versions
    ) -> None:
        """Take an experience away. Raises ConflictError for the last one and for one that a rule names."""

        def edit(personalization: Personalization) -> Personalization:
            return experiences.remove(personalization, key)

        self._edit(caller, personalization_id, "remove_experience", edit, consent, expected_version)

    def set_rules(
        self,
        caller: Caller,
        personalization_id: str,
        given: Sequence[RuleFields],
        *,
        consent: Consent,
        expected_version: Versions,
    ) -> Saved[Personalization]:
        """Replace the rules. Raises ValidationFailedError for an unknown experience, page or audience."""
        # Every reference is looked up, also an old one: the stored rules are not read yet.
        for index, rule in enumerate(given):
            self._check_references(caller, rule.get("targeting"), f"[{index}].targeting")
        ids = [self._store.world.new_id() for _ in given]

        def edit(personalization: Personalization) -> Personalization:
            return experiences.with_rules(personalization, given, ids)

        return self._edit(caller, personalization_id, "set_rules", edit, consent, expected_version)

    def _check_references(self, caller: Caller, targeting: Targeting | None, path: str) -> None:
        refuse_unknown_references(self._store.world.catalog, caller.shop_id, targeting, path=path)

    def _edit(
        self,
        caller: Caller,
        personalization_id: str,
        verb: str,
        edit: Edit,
        consent: Consent,
        expected_version: Versions,
    ) -> Saved[Personalization]:
        def decide(before: Personalization, occasion: Occasion) -> Change[Personalization]:
            action = f"personalization.{verb}"
            return editing.settle(before, edit(before), occasion.now, action=action, consent=consent)

        return self._store.change(caller, personalization_id, decide, expected_version=expected_version)
