"""How an experiment is kept in the catalog: its head, its body, its unique names, its places in the work index."""

from collections.abc import Iterable

from abtest.domain.experiments.change import Change
from abtest.domain.experiments.documents import experiment_document, experiment_from
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.schedule import MEASURING, due_end, due_start
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.reusable.references import references_of, refs_attribute
from abtest.kit.clock import Timestamp, from_milliseconds, parse_milliseconds, timestamp
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import is_uuid
from abtest.ports.catalog import COUNTED_FOR_EVER, Catalog, Head, Put, Record, Remove
from abtest.services.names import Names, Renaming

COUNTED_AFTER_END_MS = 7 * DAY_MS
"""Events arrive up to seven days late."""


def record_of(experiment: Experiment) -> Record:
    """The stored form."""
    return Record(head=head_of(experiment), body=experiment_document(experiment))


def head_of(experiment: Experiment) -> Head:
    """What lists and work queues read."""
    return Head(
        shop_id=experiment.shop_id,
        kind="EXP",
        id=experiment.id,
        version=experiment.version,
        created_at=experiment.created_at,
        updated_at=experiment.updated_at,
        name=experiment.name,
        status=experiment.status,
        archived_at=experiment.archived_at,
        attributes={
            "public_id": experiment.public_id,
            "slug": experiment.slug,
            "counting_type": experiment.counting_type,
            "delivery_type": experiment.delivery_type,
            "refs": refs_attribute(references_in(experiment)),
        },
        due=_due(experiment),
    )


def references_in(experiment: Experiment) -> frozenset[str]:
    """The pages and audiences of the shop that the experiment or its goals name."""
    return references_of(experiment.targeting) | references_of({"pageRules": experiment.goal_page_rules})


def experiment_in(record: Record) -> Experiment:
    """The aggregate that a record holds."""
    return experiment_from(record.body)


def experiment_of(catalog: Catalog, shop_id: str, reference: str) -> Experiment:
    """The shop's experiment with this id or public id. Raises NotFoundError, also for other shops' ids."""
    found = (shop_id, reference) if is_uuid(reference) else catalog.resolve(shop_id, public_name(reference))
    record = catalog.get(shop_id, "EXP", found[1]) if found else None
    if record is None:
        raise NotFoundError("no such experiment")
    return experiment_in(record)


def put_of(change: Change, after: Experiment) -> Put:
    """The conditional write of a change."""
    return Put(record=record_of(after), expected_version=change.before.version if change.before else 0)


def remove_of(before: Experiment) -> Remove:
    """The conditional deletion of an experiment."""
    return Remove(head=head_of(before))


def renaming_of(change: Change) -> Renaming:
    """The names that the change takes and gives back."""
    subject = change.subject
    before, after = _names(change.before), _names(change.after)
    return Renaming(shop_id=subject.shop_id, record_id=subject.id, before=before, after=after)


def _own_names(experiment: Experiment) -> set[str]:
    """Every unique name of an experiment inside its shop."""
    names = {public_name(experiment.public_id)} if experiment.public_id else set()
    if experiment.slug is not None:
        names.add(slug_name(experiment.slug))
    for variation in experiment.variations:
        names.add(variation_name(variation.id))
        if variation.public_id:
            names.add(variation_name(variation.public_id))
    return names


def public_name(public_id: str) -> str:
    """The name that an experiment's public id claims."""
    return f"EXP#PUB#{public_id}"


def slug_name(slug: str) -> str:
    """The name that a slug claims."""
    return f"EXP#SLUG#{slug}"


def variation_name(reference: str) -> str:
    """The name that a variation's id or public id claims; it leads to the experiment."""
    return f"VAR#{reference}"


def _names(experiment: Experiment | None) -> Names:
    if experiment is None:
        return Names()
    return Names(own=_own_names(experiment), goal_ids={goal.id for goal in experiment.goals})


def _due(experiment: Experiment) -> dict[str, Timestamp]:
    running = experiment.started_at if experiment.status == "running" else None
    queues = {
        "RUN": running,
        "LAUNCH": due_start(experiment),
        "END": due_end(experiment),
        "COUNT": _counted_until(experiment),
    }
    return {queue: moment for queue, moment in queues.items() if moment is not None}


def _counted_until(experiment: Experiment) -> Timestamp | None:
    if experiment.status in MEASURING:
        return COUNTED_FOR_EVER
    if experiment.status != "completed" or experiment.ended_at is None:
        return None
    return counted_until(experiment.ended_at, experiment.goals)


def counted_until(ended_at: Timestamp, goals: Iterable[Goal]) -> Timestamp:
    """Until the last visitors' longest attribution window is over and the latest events of it were taken in."""
    window = max((goal.attribution_window_days for goal in goals), default=0)
    ended = parse_milliseconds(ended_at)
    return timestamp(from_milliseconds(ended + window * DAY_MS + COUNTED_AFTER_END_MS))
