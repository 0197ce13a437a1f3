"""Copies of moto's state, to restore resources that take fifty times as long to create."""

from __future__ import annotations

import copy
import copyreg
from threading import Condition
from typing import Any
from unittest.mock import patch

from moto.core.base_backend import BackendDict


class MotoImage:
    """State of every service of moto at one moment. It shares nothing with the state that it was taken from."""

    def __init__(self) -> None:
        # moto has no public list of the services in use.
        present = [
            (services, account, region, backend)
            for services in BackendDict._instances  # type: ignore[misc]
            for account, region, backend in services.iter_backends()
        ]
        self._places = [(services, account, region) for services, account, region, _ in present]
        self._backends = _copies([backend for *_, backend in present])

    def restore(self) -> None:
        """Put a copy of the state into an empty moto."""
        for (services, account, region), backend in zip(self._places, _copies(self._backends), strict=True):
            services[account][region] = backend


def _copies(backends: list[Any]) -> list[Any]:
    # One copy of all, because backends may share objects. Locks cannot be copied, so each queue gets a new one.
    with patch.dict(copyreg.dispatch_table, {Condition: lambda _: (Condition, ())}):
        return copy.deepcopy(backends)
