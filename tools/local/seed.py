"""Seed of a local stack: a demo shop and one key of each kind, kept for the next start.

Secrets are shown once, so they are kept in the stack's own folder, readable by its owner only.
"""

from __future__ import annotations

import json
import subprocess
import sys
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from tools.local.surroundings import PROJECT, machine_environment

if TYPE_CHECKING:
    from pathlib import Path

    from tools.local.context import StackContext

NAMES = ("shop_id", "api_key", "user_key", "tracking_key", "ingest_signature")
TIMEOUT_SECONDS = 60


def seed(context: StackContext) -> dict[str, Any]:
    """Shop id, keys and ingest signature of the demo shop; made when they are not there."""
    kept = context.state_directory / "seed.json"
    seed = _read(kept)
    if not _is_alive(context, seed):
        seed = _make(context)
        _write(kept, seed)
        # The console opens the shop's pages there.
        origin = {"origin": context.store_url}
        _call(context, seed["api_key"], "PATCH", f"/shops/{seed['shop_id']}", origin)
    elif "user_id" not in seed:  # a state of an earlier release
        seed["user_id"] = _shop(context, seed)["org_id"]
        _write(kept, seed)
    return {name: seed[name] for name in (*NAMES, "user_id")}


def _is_alive(context: StackContext, seed: dict[str, Any]) -> bool:
    """Return whether the stack knows the kept key, and as a key of the kept shop.

    Raises HTTPError for an inconclusive response: a busy stack must not cost a shop its keys.
    """
    if not all(seed.get(name) for name in NAMES):
        return False
    try:
        key: dict[str, Any] = _call(context, seed["api_key"], "GET", "/me")["key"]
    except HTTPError as refusal:
        if refusal.code not in (HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND):
            raise
        return False
    return bool(key["shop_id"] == seed["shop_id"])


def _shop(context: StackContext, seed: dict[str, Any]) -> dict[str, Any]:
    """The demo shop."""
    return _call(context, seed["api_key"], "GET", "/shop")


def _call(
    context: StackContext, key: str, method: str, path: str, body: dict[str, str] | None = None
) -> dict[str, Any]:
    """Answer of the management API. Raises HTTPError."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    request = Request(f"{context.base_url}{path}", content, headers, method=method)  # noqa: S310
    with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 - the stack's own address
        answered: dict[str, Any] = json.load(answer)
        return answered


def _make(context: StackContext) -> dict[str, Any]:
    """By the operator's command line, in a process that has the environment of a management function."""
    store = urlsplit(context.store_url)
    line = [sys.executable, "-m", "tools.admin", "shops", "create", "--name", "Demo shop"]
    line += ["--domain", store.hostname or "localhost", "--currency", "EUR", "--with", "user", "--with", "tracking"]
    environment = {**machine_environment(), **context.environment("api_settings")}
    done = subprocess.run(
        line, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the demo shop could not be made: {done.stderr.strip()[-2000:]}")
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def _read(kept: Path) -> dict[str, Any]:
    try:
        seed = json.loads(kept.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return seed if isinstance(seed, dict) else {}


def _write(kept: Path, seed: dict[str, Any]) -> None:
    """Write atomically, readable by the owner only."""
    draft = kept.with_suffix(".new")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps({name: seed[name] for name in (*NAMES, "user_id")}, indent=2))
    draft.replace(kept)
