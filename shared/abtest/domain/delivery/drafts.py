"""Compiled draft that a preview shows on the shop's own pages: its stored form, and what pages get of it.

A draft is compiled once, when its link is made; the edge only adds it to what is published.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

from abtest.domain.delivery.literals import expression
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode, encode

DraftKind = Literal["experiment", "personalization", "flag"]

LISTS: Mapping[DraftKind, str] = {
    "experiment": "experiments",
    "personalization": "personalizations",
    "flag": "flags",
}
"""List of the config that has a draft, by its kind."""

_SHOWN: Mapping[DraftKind, str] = {"experiment": "variationId", "personalization": "experience", "flag": "value"}
"""Field of the outcome that has what is shown."""


class Choice(TypedDict):
    """Something that a draft can show: a variation, an experience, which has a key as well, or a value of a flag."""

    id: str
    name: str
    key: NotRequired[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A draft as it was when its link was made.

    `shown` is the id of a variation, the key of an experience, or `on` or `off`. `config` has the draft as `/api/exp`
    shows it, with its time zones; `part` and `functions` are the same as JavaScript.
    """

    kind: DraftKind
    id: str
    name: str
    shown: str
    choices: tuple[Choice, ...]
    version: int
    status: str
    environment: str | None
    hosts: tuple[str, ...]
    expires_at: Timestamp
    config: Mapping[str, Any]
    part: str
    functions: str

    @property
    def names(self) -> dict[str, str]:
        """Return the names of the draft and of what it can show, by id."""
        return {**names_in(self.config), **{each["id"]: each["name"] for each in self.choices}, self.id: self.name}

    def public(self) -> dict[str, object]:
        """Return `preview` of the config that `/api/exp` answers with."""
        return {
            "kind": self.kind,
            "id": self.id,
            "variation_id": self.shown,
            "version": self.version,
            "expires_at": self.expires_at,
        }

    def call(self, tool: str, token: str, names: Mapping[str, str]) -> str:
        """Return the script that shows the draft: a call of the tool. `names` are those of everything published."""
        shown = {
            "state": "shown",
            "kind": self.kind,
            "id": self.id,
            "name": self.name,
            _SHOWN[self.kind]: self.shown,
            "variations": self.choices,
            "version": self.version,
            "status": self.status,
            "environment": self.environment,
            "expiresAt": self.expires_at,
            "hosts": self.hosts,
            "token": token,
        }
        outcome = f'{{"preview":{expression(shown)},"draft":{self.part},"names":{expression({**names, **self.names})}}}'
        return call(tool, outcome, self.functions)


def call(tool: str, outcome: str, functions: str = "[]") -> str:
    """Return the script that calls a tool, an expression that evaluates to a function."""
    # An expression to be called: a semicolon would end it. Errors name the script's address, which has the token.
    return f"{tool.strip().removesuffix(';')}({outcome},{functions});\n//# sourceURL=svc-tool.js\n"


def names_in(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of a config's parts, variations and experiences by id; flags have keys only."""
    names = {}
    for kind in LISTS.values():
        for part in config.get(kind, ()):
            for each in (part, *part.get("variations", ()), *part.get("experiences", ())):
                names[each["id"]] = each.get("name") or each.get("key") or ""
    return names


def merged(config: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """Return a published config with the draft, in place of what it has under the draft's id."""
    name = LISTS[draft.kind]
    (added,) = draft.config[name]
    parts = list(config.get(name, ()))
    place = next((index for index, part in enumerate(parts) if part["id"] == draft.id), len(parts))
    parts[place : place + 1] = [added]
    whole: dict[str, Any] = {**config, name: parts, "preview": draft.public()}
    if zones := {*config.get("zones", ()), *draft.config.get("zones", ())}:
        whole["zones"] = sorted(zones)
    return whole


def write_draft(draft: Draft) -> bytes:
    """Return the stored form of a draft."""
    return canonical_json.encode(encode(draft))


def read_draft(content: bytes) -> Draft:
    """Return the draft of a stored form."""
    return decode(Draft, canonical_json.loads(content))
