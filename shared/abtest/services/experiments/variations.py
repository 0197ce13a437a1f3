"""Variations of an experiment, one by one and their weights together."""

from collections.abc import Callable, Mapping

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import NO_CONSENT, Consent
from abtest.domain.experiments import editing, rules, variations
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.experiments.shapes import VariationFields
from abtest.kit.errors import NotFoundError
from abtest.ports.scripts import ScriptChecker
from abtest.services.aggregates import Saved
from abtest.services.context import Caller
from abtest.services.experiments.scripts import refuse_broken_scripts
from abtest.services.experiments.store import ExperimentStore
from abtest.services.retries import Versions

Edit = Callable[[Experiment, Occasion], Experiment]


class Variations:
    """Use cases of variations; each is an edit of its experiment."""

    def __init__(self, store: ExperimentStore, checker: ScriptChecker) -> None:
        self._store = store
        self._checker = checker

    def add(
        self,
        caller: Caller,
        reference: str,
        given: VariationFields,
        *,
        consent: Consent,
        expected_version: Versions,
    ) -> tuple[Saved[Experiment], Variation]:
        """One more variation, and the experiment that has it. Raises InvalidScriptError."""
        refuse_broken_scripts(given, self._checker)
        variation_id = self._store.world.new_id()

        def edit(experiment: Experiment, _occasion: Occasion) -> Experiment:
            # Drawn inside of the retried part: a public id that is taken must be replaced by another one.
            return variations.add(experiment, given, variation_id, self._store.new_public_id())

        saved = self._edit(caller, reference, "create", edit, consent, expected_version)
        return saved, variations.find(saved.value, variation_id)

    def update(
        self,
        caller: Caller,
        reference: str,
        variation_id: str,
        given: VariationFields,
        *,
        consent: Consent,
        expected_version: Versions,
    ) -> tuple[Saved[Experiment], Variation]:
        """Change the given fields of a variation. Raises InvalidScriptError."""
        refuse_broken_scripts(given, self._checker)

        def edit(experiment: Experiment, _occasion: Occasion) -> Experiment:
            return variations.edit(experiment, variation_id, given)

        saved = self._edit(caller, reference, "update", edit, consent, expected_version)
        return saved, variations.find(saved.value, variation_id)

    def set_archived(
        self,
        caller: Caller,
        reference: str,
        variation_id: str,
        archived: bool,
        *,
        consent: Consent,
        expected_version: Versions,
    ) -> tuple[Saved[Experiment], Variation]:
        """Take a variation out of use, or back into it."""

        def edit(experiment: Experiment, occasion: Occasion) -> Experiment:
            if archived:
                return variations.archive(experiment, variation_id, now=occasion.now, user_id=caller.user_id)
            return variations.unarchive(experiment, variation_id)

        action = "archive" if archived else "unarchive"
        saved = self._edit(caller, reference, action, edit, consent, expected_version)
        return saved, variations.find(saved.value, variation_id)

    def delete(
        self,
        caller: Caller,
        reference: str,
        variation_id: str,
        *,
        expected_version: Versions,
        row_id: str | None = None,
    ) -> None:
        """Remove a variation of a draft that never started. Raises NotDeletableError."""

        def edit(experiment: Experiment, _occasion: Occasion) -> Experiment:
            return variations.delete(experiment, variation_id)

        self._edit(caller, reference, "delete", edit, NO_CONSENT, expected_version, row_id)

    def delete_alone(self, caller: Caller, variation_id: str, *, expected_version: Versions) -> None:
        """Remove the variation from whichever experiment has it. Raises NotFoundError, NotDeletableError."""
        row_id = self._store.world.audit_row_id()
        try:
            experiment, variation = self._store.variation(caller.shop_id, variation_id)
        except NotFoundError:
            if self._store.world.is_stored(caller.shop_id, row_id):
                return
            raise
        self.delete(caller, experiment.id, variation.id, expected_version=expected_version, row_id=row_id)

    def weigh(
        self,
        caller: Caller,
        reference: str,
        weights: Mapping[str, float],
        *,
        consent: Consent,
        expected_version: Versions,
    ) -> Saved[Experiment]:
        """Set the weights of all variations in use. Raises WeightsSumError unless they sum to 1."""

        def edit(experiment: Experiment, _occasion: Occasion) -> Experiment:
            weighed = variations.weigh(experiment, weights)
            rules.check_weights(weighed)
            return weighed

        return self._edit(caller, reference, "weigh", edit, consent, expected_version)

    def _edit(
        self,
        caller: Caller,
        reference: str,
        verb: str,
        edit: Edit,
        consent: Consent,
        expected_version: Versions,
        row_id: str | None = None,
    ) -> Saved[Experiment]:
        def decide(experiment: Experiment, occasion: Occasion) -> Change[Experiment]:
            after = edit(experiment, occasion)
            rules.check_controls(after, changed_alone=True)
            return editing.settle(experiment, after, occasion, action=f"variation.{verb}", consent=consent)

        return self._store.change(caller, reference, decide, expected_version=expected_version, row_id=row_id)
