"""Stored form of an experiment: its head, its unique names, its entries in the work index."""

from collections.abc import Iterable

from abtest.domain.changes.errors import NotDeletableError, SlugTakenError
from abtest.domain.experiments.audit import audited
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.schedule import MEASURING, due_end, due_start
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.pages.model import experiment_name
from abtest.domain.reusable.references import references_of, refs_attribute
from abtest.kit.clock import Timestamp, from_milliseconds, parse_milliseconds, timestamp
from abtest.kit.documents import decode, encode
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import COUNTED_FOR_EVER, Catalog, NameTakenError, Record, StaleVersionError
from abtest.services.names import Names, id_of_experiment, public_name
from abtest.services.resources import Resource, Summary, either

COUNTED_AFTER_END_MS = 7 * DAY_MS
"""Events arrive up to seven days late."""


def references_in(experiment: Experiment) -> frozenset[str]:
    """The pages and audiences of the shop that the experiment or its goals name."""
    return references_of(experiment.targeting) | references_of({"pageRules": experiment.goal_page_rules})


def experiment_in(record: Record) -> Experiment:
    """The aggregate that a record holds."""
    return decode(Experiment, record.body)


def experiment_of(catalog: Catalog, shop_id: str, reference: str) -> Experiment:
    """Return the shop's experiment with this id or public id. Raises NotFoundError, also for other shops' ids."""
    # The read is by shop, so an id of another shop finds nothing.
    record_id = id_of_experiment(catalog, shop_id, reference)
    record = catalog.get(shop_id, "EXP", record_id) if record_id else None
    if record is None:
        raise NotFoundError("there is no such experiment")
    return decode(Experiment, record.body)


def _names(experiment: Experiment) -> Names:
    """Every unique name of an experiment inside its shop."""
    # Archived experiments keep all their names, so that unarchiving one cannot collide.
    names = {public_name(experiment.public_id)} if experiment.public_id else set()
    if experiment.slug is not None:
        names.add(slug_name(experiment.slug))
    for variation in experiment.variations:
        names.add(variation_name(variation.id))
        if variation.public_id:
            names.add(variation_name(variation.public_id))
    return Names(own=names, goal_ids={goal.id for goal in experiment.goals})


def slug_name(slug: str) -> str:
    """The name that a slug claims."""
    return f"EXP#SLUG#{slug}"


def slug_taken(slug: str) -> SlugTakenError:
    """Return the error for a slug that another experiment of the shop has."""
    message = f"the slug {slug} belongs to another experiment"
    return SlugTakenError(message)


def variation_name(reference: str) -> str:
    """The name that a variation's id or public id claims; it leads to the experiment."""
    return f"VAR#{reference}"


def _due(experiment: Experiment) -> dict[str, Timestamp]:
    running = experiment.started_at if experiment.status == "running" else None
    queues = {
        # A start is always in the past, so a look at what is due now returns every running experiment.
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
    # Events of the last day of an attribution window may arrive late themselves, so both times are added.
    window = max((goal.attribution_window_days for goal in goals), default=0)
    ended = parse_milliseconds(ended_at)
    return timestamp(from_milliseconds(ended + window * DAY_MS + COUNTED_AFTER_END_MS))


def _summary(experiment: Experiment) -> Summary:
    return Summary(
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


class PublicIdTakenError(StaleVersionError):
    """A public id that was drawn belongs to another experiment, so the store decides again and draws another."""


def _name_taken(subject: Experiment, error: NameTakenError) -> Exception:
    if error.name == experiment_name(subject.id):
        return NotDeletableError("a landing page is linked to this experiment; remove the link first")
    slug = subject.slug
    if slug is not None and error.name == slug_name(slug):
        return slug_taken(slug)
    # A ten-digit draw can collide. As a stale version it is retried with a new draw; the slug is the caller's choice.
    return PublicIdTakenError(f"{error.name} is taken; repeat the request")


EXPERIMENTS: Resource[Experiment] = Resource(
    kind="EXP",
    noun="experiment",
    to_document=encode,
    from_record=experiment_in,
    summary=_summary,
    audited=audited,
    names=_names,
    name_taken=_name_taken,
    reaches_shoppers=either(lambda experiment: experiment.status == "running"),
    event_facts=lambda experiment: {"experiment_id": experiment.id, "experiment_name": experiment.name},
)
