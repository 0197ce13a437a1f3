"""Selection of the environments of a shop that are published, and of those that are emptied first and then dropped.

An environment that lost its last part is still published; otherwise it would serve that part for ever. Only when
a shop needs more than it may have does one that is not in use give way.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from abtest.domain.delivery.manifest import DEFAULT_ENVIRONMENT

MAX_ENVIRONMENTS = 12
_NAME = re.compile(r"[a-z0-9_-]{1,48}", re.ASCII)


def is_environment(name: str) -> bool:
    """Return whether an environment can have this name; all other names are kept out of keys in the object store."""
    return _NAME.fullmatch(name) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`published` begins with the default; `retired` are to be emptied; `refused` are in use and one too many."""

    published: Sequence[str]
    retired: Sequence[str]
    refused: Sequence[str]


def planned(in_use: Iterable[str], published: Sequence[str], declared: Sequence[str] = ()) -> Plan:
    """Return the plan for environments in use; `published` are those of the last publication.

    All that the shop's settings declare are published. `production` is published in any case, even where a shop
    declares as many others as it may. Of the rest, what was published first stays.
    """
    own = [name for name in declared if name != DEFAULT_ENVIRONMENT]
    named = {name for name in (*in_use, *own) if name != DEFAULT_ENVIRONMENT}
    published = [name for name in published if name not in own]
    # Sorted, so that a repeated publication chooses the same ones from the set.
    valid = sorted(filter(is_environment, named.difference(own, published)))
    most = max(MAX_ENVIRONMENTS - 1, len(own))
    kept = [*own, *(name for name in published if name in named), *valid][:most]
    idle = [name for name in published if name not in named and name != DEFAULT_ENVIRONMENT]
    room = most - len(kept)
    return Plan(
        published=(DEFAULT_ENVIRONMENT, *kept, *idle[:room]),
        retired=tuple(idle[room:]),
        refused=tuple(sorted(named - set(kept))),
    )
