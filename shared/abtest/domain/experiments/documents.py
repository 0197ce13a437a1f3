"""The stored form of experiments: plain JSON documents, and the way back."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.kit.documents import Document, decode, encode


def experiment_document(experiment: Experiment) -> Document:
    """The aggregate as JSON."""
    return encode(experiment)


def experiment_from(document: Mapping[str, Any]) -> Experiment:
    """The aggregate that a document holds. Raises TypeError when a field without default is missing."""
    return decode(Experiment, document)
