"""Which environments of a shop are published, and which one more time, empty, before they are forgotten.

An environment that lost the last thing in it goes on being published, or it would serve that thing for ever. Only when
more are needed than a shop may have does one that is not in use give way.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from abtest.domain.delivery.manifest import DEFAULT_ENVIRONMENT

MAX_ENVIRONMENTS = 12
_NAME = re.compile(r"[a-z0-9_-]{1,48}", re.ASCII)


def is_environment(name: str) -> bool:
    """Whether an environment can have this name; all other names are kept out of addresses in the object store."""
    return _NAME.fullmatch(name) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`published` begins with the default; `retired` are to be emptied; `refused` are in use and one too many."""

    published: Sequence[str]
    retired: Sequence[str]
    refused: Sequence[str]


def planned(in_use: Iterable[str], standing: Sequence[str], declared: Sequence[str] = ()) -> Plan:
    """The plan for environments in use, when those `standing` were published before.

    All that the shop's settings declare are published; a shop that declares as many as it may, and no `production`,
    has that one besides. Of others, what was there first stays.
    """
    own = [name for name in declared if name != DEFAULT_ENVIRONMENT]
    named = {name for name in (*in_use, *own) if name != DEFAULT_ENVIRONMENT}
    standing = [name for name in standing if name not in own]
    valid = sorted(filter(is_environment, named.difference(own, standing)))
    most = max(MAX_ENVIRONMENTS - 1, len(own))
    kept = [*own, *(name for name in standing if name in named), *valid][:most]
    idle = [name for name in standing if name not in named and name != DEFAULT_ENVIRONMENT]
    room = most - len(kept)
    return Plan(
        published=(DEFAULT_ENVIRONMENT, *kept, *idle[:room]),
        retired=tuple(idle[room:]),
        refused=tuple(sorted(named - set(kept))),
    )
