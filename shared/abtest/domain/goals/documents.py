"""The stored form of goals: plain JSON documents, and the way back."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.goals.model import Goal
from abtest.kit.documents import Document, decode, encode


def goal_document(goal: Goal) -> Document:
    """A goal as JSON."""
    return encode(goal)


def goal_from(document: Mapping[str, Any]) -> Goal:
    """The goal that a document holds."""
    return decode(Goal, document)
