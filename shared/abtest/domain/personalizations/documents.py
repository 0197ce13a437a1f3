"""The stored form of personalizations: plain JSON documents, and the way back."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.personalizations.model import Personalization
from abtest.kit.documents import Document, decode, encode


def personalization_document(personalization: Personalization) -> Document:
    """The aggregate as JSON."""
    return encode(personalization)


def personalization_from(document: Mapping[str, Any]) -> Personalization:
    """The aggregate that a document holds. Raises TypeError when a field without default is missing."""
    return decode(Personalization, document)
