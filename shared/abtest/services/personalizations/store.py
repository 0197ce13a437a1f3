"""Store of personalizations: head, unique key, entry in the work index, and the code budget."""

from abtest.domain.personalizations.audit import audited
from abtest.domain.personalizations.model import Personalization
from abtest.domain.reusable.references import references_of, refs_attribute
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode, encode
from abtest.ports.catalog import COUNTED_FOR_EVER, NameTakenError
from abtest.services.aggregates import Aggregates
from abtest.services.context import World
from abtest.services.experiments.records import counted_until
from abtest.services.names import Names
from abtest.services.publication.budget import CodeBudget
from abtest.services.resources import Resource, Summary, either
from abtest.services.storefronts import Storefronts


def key_name(environment_key: str, key: str) -> str:
    """The name that a key claims; keys are unique in their environment."""
    return f"PZN#KEY#{environment_key}#{key}"


def _summary(personalization: Personalization) -> Summary:
    of_rules = (references_of(rule.targeting) for rule in personalization.rules)
    counted = _counted_until(personalization)
    return Summary(
        name=personalization.name,
        status=personalization.status,
        archived_at=personalization.archived_at,
        attributes={
            "key": personalization.key,
            "delivery_type": personalization.delivery_type,
            "environment_key": personalization.environment_key,
            "surface": personalization.surface,
            "refs": refs_attribute(references_of(personalization.targeting).union(*of_rules)),
        },
        due={} if counted is None else {"COUNT": counted},
    )


def _counted_until(personalization: Personalization) -> Timestamp | None:
    if personalization.activated_at is None:
        return None
    # A paused one still counts: visitors who saw it convert later, and it may be activated again.
    if personalization.archived_at is None:
        return COUNTED_FOR_EVER
    return counted_until(personalization.archived_at, personalization.goals)


def _names(personalization: Personalization) -> Names:
    own = {key_name(personalization.environment_key, personalization.key)}
    return Names(own=own, goal_ids={goal.id for goal in personalization.goals})


def _key_taken(subject: Personalization, _error: NameTakenError) -> KeyTakenError:
    return KeyTakenError(f"another personalization of {subject.environment_key} has the key {subject.key}")


PERSONALIZATIONS: Resource[Personalization] = Resource(
    kind="PZN",
    noun="personalization",
    to_document=encode,
    from_record=lambda record: decode(Personalization, record.body),
    summary=_summary,
    audited=audited,
    names=_names,
    name_taken=_key_taken,
    reaches_shoppers=either(lambda personalization: personalization.status == "active"),
)


class PersonalizationStore(Aggregates[Personalization]):
    """Personalizations of shops."""

    def __init__(self, world: World, storefronts: Storefronts, budget: CodeBudget) -> None:
        super().__init__(world, PERSONALIZATIONS, storefronts, budget.admit_personalization)
