"""Composition of experiments as schedules change them."""

from abtest.services.experiments.store import ExperimentStore
from abtest.services.publication.budget import CodeBudget
from abtest.services.storefronts import Storefronts
from abtest.wiring.publication import publication


def experiment_store() -> ExperimentStore:
    """Experiments whose changes are published at once. Raises MissingSettingError."""
    publisher = publication()
    storefronts = Storefronts(publisher.world.catalog, publisher)
    return ExperimentStore(publisher.world, storefronts, CodeBudget(publisher.blobs))
