"""The landing page that shows an experiment, as far as the launch checklist is about it."""

from abtest.domain.experiments.checklist import OnPage
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment
from abtest.domain.pages.model import LandingPage, experiment_name
from abtest.kit.documents import decode
from abtest.ports.catalog import Catalog


def on_page(catalog: Catalog, experiment: Experiment) -> OnPage | None:
    """Return the landing page that has claimed the experiment; None for an experiment of the shop's own pages."""
    claim = catalog.resolve(experiment.shop_id, experiment_name(experiment.id))
    record = catalog.get(experiment.shop_id, "LP", claim[1]) if claim else None
    if record is None:
        return None
    page = decode(LandingPage, record.body)
    is_online = page.live is not None and page.live.experiment_id == experiment.id
    linked = page.experiment
    if linked is None or linked.experiment_id != experiment.id:
        # Only an earlier publish shows it, which has a version for each variation of that time.
        return OnPage(variation_ids=frozenset(each.id for each in in_use(experiment)), is_online=is_online)
    return OnPage(variation_ids=frozenset(linked.versions), is_online=is_online)
