"""Flags in the catalog: what is stored of one, and how it is found by its id or its key."""

from dataclasses import dataclass

from abtest.domain.flags.change import audited, is_published
from abtest.domain.flags.model import Flag
from abtest.domain.reusable.references import references_of, refs_attribute
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.kit.documents import decode, encode
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import is_uuid
from abtest.ports.catalog import NameTakenError
from abtest.services.aggregates import Aggregates
from abtest.services.context import World
from abtest.services.names import Names
from abtest.services.publication.budget import CodeBudget
from abtest.services.resources import Resource, Summary, either
from abtest.services.storefronts import Storefronts


@dataclass(frozen=True, slots=True)
class Reference:
    """A flag's id, or its key in an environment."""

    id_or_key: str
    environment_key: str


def key_name(environment_key: str, key: str) -> str:
    """The name that a flag's key claims inside its shop."""
    return f"FLAG#KEY#{environment_key}#{key}"


def _summary(flag: Flag) -> Summary:
    return Summary(
        name=flag.name,
        status=flag.status,
        archived_at=flag.updated_at if flag.status == "archived" else None,
        attributes={
            "key": flag.key,
            "environment_key": flag.environment_key,
            "delivery_type": flag.delivery_type,
            "refs": refs_attribute(references_of(flag.targeting)),
        },
    )


def _key_taken(flag: Flag, _error: NameTakenError) -> KeyTakenError:
    return KeyTakenError(f"{flag.environment_key} has a flag with the key {flag.key}")


FLAGS: Resource[Flag] = Resource(
    kind="FLAG",
    noun="flag",
    to_document=encode,
    from_record=lambda record: decode(Flag, record.body),
    summary=_summary,
    audited=audited,
    names=lambda flag: Names(own={key_name(flag.environment_key, flag.key)}),
    name_taken=_key_taken,
    reaches_shoppers=either(is_published),
)


class FlagStore(Aggregates[Flag]):
    """Flags of shops."""

    def __init__(self, world: World, storefronts: Storefronts, budget: CodeBudget) -> None:
        super().__init__(world, FLAGS, storefronts, budget.admit_flag)

    def load(self, shop_id: str, reference: Reference) -> Flag:
        """The flag with this id or key. Raises NotFoundError, also for other shops' flags."""
        environment, key = reference.environment_key, reference.id_or_key
        # A key may look like a UUID, too: when no flag has this id, it is looked up as a key.
        if is_uuid(key) and (by_id := self.get_many(shop_id, [key])):
            return by_id[0]
        flag = self.find(shop_id, key_name(environment, key))
        # The key may have moved between the two reads of `find`.
        if flag is None or (flag.environment_key, flag.key) != (environment, key):
            raise NotFoundError("there is no such flag")
        return flag
