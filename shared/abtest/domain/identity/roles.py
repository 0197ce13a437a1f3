"""Roles of people in an organisation: each is a set of scopes, as the presets of keys are."""

from collections.abc import Mapping
from typing import Literal

from abtest.domain.credentials.api_keys import PRESETS, with_implied

Role = Literal["viewer", "client", "editor", "launcher", "admin", "owner"]

_SCOPES: Mapping[Role, frozenset[str]] = {
    "viewer": PRESETS["read_only"],
    # A client reads, approves and answers, and changes nothing else.
    "client": PRESETS["read_only"] | {"approvals:write", "inbox:write"},
    "editor": PRESETS["editor"],
    "launcher": PRESETS["launcher"],
    "admin": PRESETS["admin"],
    "owner": PRESETS["admin"],
}
ROLES: Mapping[Role, frozenset[str]] = {role: with_implied(scopes) for role, scopes in _SCOPES.items()}
"""Scopes of each role, implied ones included. Owners differ from admins in whom they may make an owner."""
