"""Context of a seed: the running stack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class StackContext:
    """The argument of `tools.local.seed.seed(context) -> dict`, called at every start once HTTP answers.

    What it returns (shop_id, api_key, user_key, tracking_key, ingest_signature ...) is merged into dev.json.
    A seed runs again on state that exists: `previous` is the dev.json of the last start, {} for a new stack,
    and it returns the same values when what they name is still there. It runs in a thread of the stack's own
    process and may call the APIs over HTTP or the engine at `endpoint_url`.
    """

    base_url: str
    worker_base_url: str
    store_url: str
    endpoint_url: str
    environments: Mapping[str, Mapping[str, str]]  # logical id -> the whole environment of that function
    folders: Mapping[str, str]  # a function's folder, such as api_workspace -> its logical id
    state_directory: Path
    previous: Mapping[str, Any]

    def environment(self, function: str) -> Mapping[str, str]:
        """The environment of a function, by logical id or folder."""
        return self.environments[self.folders.get(function, function)]
