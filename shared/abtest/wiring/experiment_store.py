"""Composition of experiments as schedules change them."""

from abtest.services.experiments.publishing import Publishing
from abtest.services.experiments.store import ExperimentStore
from abtest.services.publication.budget import CodeBudget
from abtest.wiring.publication import publication


def experiment_store() -> ExperimentStore:
    """Experiments whose changes are published at once. Raises MissingSettingError."""
    publisher = publication()
    publishing = Publishing(publisher.world.catalog, publisher)
    return ExperimentStore(publisher.world, publishing, CodeBudget(publisher.blobs))
