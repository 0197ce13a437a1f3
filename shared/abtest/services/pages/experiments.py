"""Use cases of the experiment of a landing page: linked, replaced, removed."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.pages.addresses import page_address
from abtest.domain.pages.model import LandingPage, PageExperiment, edited
from abtest.domain.pages.states import refuse_archived
from abtest.domain.pages.variants import refuse_incomplete, refuse_unfit
from abtest.kit.errors import refused
from abtest.services.aggregates import Saved
from abtest.services.context import Caller
from abtest.services.experiments.records import experiment_in
from abtest.services.pages.pages import LandingPages
from abtest.services.publication.sources import Sources
from abtest.services.retries import Versions


class PageExperiments:
    """Links of landing pages to experiments. A publish shows the variants of the link that the page has then."""

    def __init__(self, pages: LandingPages) -> None:
        self._pages = pages

    def link(
        self, caller: Caller, page_id: str, given: Mapping[str, Any], *, expected_version: Versions
    ) -> Saved[LandingPage]:
        """Link a page to an experiment; a link that it has already is not checked again.

        Raises NotFoundError, InvalidStateTransitionError, ValidationFailedError, and ConflictError for an experiment of
        another page.
        """
        linked = PageExperiment(experiment_id=given["experiment_id"], versions=given["versions"])

        def decide(before: LandingPage, occasion: Occasion) -> Change[LandingPage]:
            refuse_archived(before, "experiment")
            if before.experiment != linked:
                self.check(before, linked)
            after = edited(before, {"experiment": linked}, occasion.now)
            return Change(before=before, after=after, action="landing_page.link_experiment")

        return self._pages.change(caller, page_id, decide, expected_version=expected_version)

    def unlink(self, caller: Caller, page_id: str, *, expected_version: Versions) -> Saved[LandingPage]:
        """Remove the link of a page, also of an archived one. Raises NotFoundError."""

        def decide(before: LandingPage, occasion: Occasion) -> Change[LandingPage]:
            after = edited(before, {"experiment": None}, occasion.now)
            return Change(before=before, after=after, action="landing_page.unlink_experiment")

        return self._pages.change(caller, page_id, decide, expected_version=expected_version)

    def check(self, page: LandingPage, linked: PageExperiment) -> None:
        """Raise ValidationFailedError unless the page, where it is going to be, can show the experiment.

        An experiment may change after it was linked, so a publish checks again.
        """
        catalog = self._pages.world.catalog
        record = catalog.get(page.shop_id, "EXP", linked.experiment_id)
        if record is None:
            raise refused("experiment_id", "there is no such experiment")
        experiment = experiment_in(record)
        references = Sources(catalog, page.shop_id).references([experiment.targeting])
        address = page_address(page.publish_host, page.publish_path or f"/{page.slug}")
        refuse_unfit(experiment, references, address)
        refuse_incomplete(page, experiment, linked)
