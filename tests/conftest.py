"""Fixtures for every test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.moto_stack import AwsStack


@pytest.fixture
def aws_stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsStack]:
    """The template's tables, buckets, queues and secret in moto, empty, and the environment of every function."""
    from tests.support.moto_stack import moto_stack  # moto takes half a second, and few tests need it

    with moto_stack(monkeypatch) as stack:
        yield stack
