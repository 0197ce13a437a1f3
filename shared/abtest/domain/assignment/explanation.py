"""Explanation of decisions, equal to `storefront/src/explain.js`; docs/explanations.md describes it.

It has the step of `decide` that settled each experiment, personalization and flag, and what that step compared.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from abtest.domain.assignment.decision import Reason
from abtest.domain.assignment.experiments import Force, forced, served
from abtest.domain.assignment.explained import (
    AssignedExperience,
    AssignedVariation,
    By,
    ExperimentOutcome,
    ExplainedExperiment,
    ExplainedFlag,
    ExplainedPersonalization,
    Explanation,
    FlagOutcome,
    PersonalizationOutcome,
    Settled,
)
from abtest.domain.assignment.prepared import Flag, Personalization, Prepared
from abtest.domain.assignment.reading import UNREADABLE
from abtest.domain.assignment.rollouts import GLOBAL, experience_of
from abtest.domain.assignment.roster import Experiment
from abtest.domain.assignment.situation import Situation
from abtest.domain.assignment.steps import (
    experiment_draw,
    refused_day,
    refused_membership,
    refused_page,
    refused_surface,
    refused_unit,
    refused_visitor,
    rollout,
    settled,
    unreached,
)
from abtest.domain.assignment.visitor import Visitor
from abtest.domain.targeting.excerpts import excerpt

Outcome = TypeVar("Outcome")
Member = TypeVar("Member")

_NONE_FORCED: Force = {}
_UNREADABLE: Settled = settled("unreadable")


def explain(
    prepared: Prepared, visitor: Visitor, url: str | None, now: float, force: Force = _NONE_FORCED
) -> Explanation:
    """Explain every decision of `decide` for the same arguments. Never raises, whatever its arguments are."""
    situation = Situation(visitor, url, now, prepared.zones)
    refused = refused_unit(situation, prepared.holdout)
    return {
        "experiments": list(experiments(prepared, situation, refused, force)),
        "personalizations": list(personalizations(prepared, situation, refused)),
        "flags": list(flags(prepared, situation)),
    }


def experiments(
    prepared: Prepared, situation: Situation, refused: Settled | None, force: Force
) -> Iterator[ExplainedExperiment]:
    """Explain the experiments; `refused` is why the visitor gets none, if so."""
    roster = prepared.experiments
    by_force, by_mark = forced(roster, force), served(roster, situation)

    def outcome(place: int) -> ExperimentOutcome:
        experiment = roster.members[place]
        if place in by_force:
            return shown_experiment(settled("forced"), assigned(experiment, by_force[place].index, "forced"))
        if experiment.served:
            mark = by_mark[place].index if place in by_mark else None
            return served_experiment(experiment, situation, refused, mark)
        return decided_experiment(experiment, situation, refused)

    places = {id(each.document): place for place, each in enumerate(roster.members)}
    for document in documents(prepared.config.get("experiments")):
        explained = readable(outcome, places.get(id(document)), refused_experiment(_UNREADABLE))
        yield {"id": text_in(document, "id"), "name": text_in(document, "name"), **explained}


def served_experiment(
    experiment: Experiment, situation: Situation, refused: Settled | None, mark: int | None
) -> ExperimentOutcome:
    """Explain an experiment that landing pages show: by the mark of the page, else by what is sticky."""
    text = situation.visitor.served.get(experiment.document["id"])
    step = settled("served", {"mark": excerpt(text) if isinstance(text, str) else None})
    if mark is not None:
        return shown_experiment(step, assigned(experiment, mark, "served"))
    kept = None if refused_membership(experiment, situation, refused) else kept_index(experiment, situation)
    return refused_experiment(step, None if kept is None else assigned(experiment, kept, "sticky"))


def decided_experiment(experiment: Experiment, situation: Situation, refused: Settled | None) -> ExperimentOutcome:
    """Explain an experiment that is neither forced nor shown by landing pages."""
    excluded = refused_membership(experiment, situation, refused)
    if excluded:
        return refused_experiment(excluded)
    kept = kept_index(experiment, situation)
    if kept is not None:
        return reach(experiment, situation, settled("sticky"), assigned(experiment, kept, "sticky"))
    drawn = experiment_draw(experiment, situation.visitor)
    if drawn is None:
        return refused_experiment(settled("no_id"))
    index = experiment.drawn[drawn["bucket"]]
    if index == len(drawn["ranges"]):
        return refused_experiment(settled("traffic", drawn))
    return reach(experiment, situation, settled("assigned", drawn), assigned(experiment, index, "hash"))


def reach(
    experiment: Experiment, situation: Situation, step: Settled, variation: AssignedVariation
) -> ExperimentOutcome:
    """Explain a variation that a step has assigned: whether the page shows it, and whether the visitor keeps it."""
    away = refused_surface(experiment, situation) or unreached(experiment.document, experiment.dark, situation)
    if away:
        return refused_experiment(away, variation if variation["by"] == "sticky" else None)
    elsewhere = refused_page(experiment.document.get("pages"), situation)
    return refused_experiment(elsewhere, variation) if elsewhere else shown_experiment(step, variation)


def personalizations(
    prepared: Prepared, situation: Situation, refused: Settled | None
) -> Iterator[ExplainedPersonalization]:
    """Explain the personalizations; `refused` is why the visitor gets none, if so."""
    taken: dict[str | None, object] = {}
    unreadable: PersonalizationOutcome = {**_UNREADABLE, "applied": False, "assigned": None}
    decided = partial(decided_personalization, situation, refused, taken)
    members = {id(each.document): each for each in prepared.personalizations}
    for document in documents(prepared.config.get("personalizations")):
        explained = readable(decided, members.get(id(document)), unreadable)
        yield {
            "id": text_in(document, "id"),
            "key": text_in(document, "key"),
            "name": text_in(document, "name"),
            **explained,
        }


def decided_personalization(
    situation: Situation, refused: Settled | None, taken: dict[str | None, object], personalization: Personalization
) -> PersonalizationOutcome:
    """Explain a personalization; `taken` has the keys of those that surfaces show already."""
    document, surface = personalization.document, personalization.surface
    if surface in taken:
        refused = refused or settled("surface_taken", {"surface": surface, "by": taken[surface]})
    refused = refused or unreached(document, personalization.reach.dark, situation)
    refused = refused or refused_page(document.get("pages"), situation)
    if refused:
        return {**refused, "applied": False, "assigned": None}
    experience = experience_of(personalization, situation)
    if experience is None:
        rules = {"rules": len(personalization.choices)}
        return {**settled("no_experience", rules), "applied": False, "assigned": None}
    step = rollout(personalization.share, situation)
    applied = step["step"] == "assigned"
    if applied and surface != GLOBAL:
        taken[surface] = text_in(document, "key")
    chosen: AssignedExperience = {"id": experience["id"], "key": experience["key"]}
    return {**step, "applied": applied, "assigned": chosen}


def flags(prepared: Prepared, situation: Situation) -> Iterator[ExplainedFlag]:
    """Explain the flags."""
    unreadable: FlagOutcome = {**_UNREADABLE, "applied": False, "value": None, "reason": None}
    members = {id(each.document): each for each in prepared.flags}
    for document in documents(prepared.config.get("flags")):
        explained = readable(partial(decided_flag, situation), members.get(id(document)), unreadable)
        yield {"id": text_in(document, "id"), "key": text_in(document, "key"), **explained}


def decided_flag(situation: Situation, flag: Flag) -> FlagOutcome:
    """Explain a flag."""
    step, reason = settled_flag(flag, situation)
    is_on = reason == "on"
    return {**step, "applied": is_on, "value": excerpt(flag.on if is_on else flag.off), "reason": reason}


def settled_flag(flag: Flag, situation: Situation) -> tuple[Settled, Reason]:
    """Return the step that settles a flag, with the reason of its value."""
    if flag.paused:
        return settled("paused"), "paused"
    day = refused_day(flag.document, flag.reach.dark, situation)
    if day:
        return day, "dark"
    refused = refused_visitor(flag.document, situation) or refused_page(flag.document.get("pages"), situation)
    if refused:
        return refused, "targeting"
    step = rollout(flag.share, situation)
    return step, "on" if step["step"] == "assigned" else "rollout"


def kept_index(experiment: Experiment, situation: Situation) -> int | None:
    """Return the index of the sticky variation; None without one that is still there."""
    variation = situation.visitor.sticky.get(experiment.seed)
    return experiment.indices.get(variation) if isinstance(variation, str) else None


def assigned(experiment: Experiment, index: int, by: By) -> AssignedVariation:
    """Return a variation of an experiment as assigned."""
    return {"id": experiment.document["variations"][index]["id"], "index": index, "by": by}


def shown_experiment(step: Settled, variation: AssignedVariation) -> ExperimentOutcome:
    """Return the outcome of an experiment that the page shows."""
    return {**step, "applied": True, "assigned": variation}


def refused_experiment(step: Settled, variation: AssignedVariation | None = None) -> ExperimentOutcome:
    """Return the outcome of an experiment that the page does not show."""
    return {**step, "applied": False, "assigned": variation}


def readable(explain_one: Callable[[Member], Outcome], member: Member | None, otherwise: Outcome) -> Outcome:
    """Return the outcome of a member; `otherwise` for what cannot be read, which stops no other."""
    try:
        return otherwise if member is None else explain_one(member)
    except UNREADABLE:
        return otherwise


def documents(value: object) -> list[object]:
    """Return the items of a list; none for any other value."""
    return value if isinstance(value, list) else []


def text_in(document: object, name: str) -> object:
    """Return an excerpt of a text of a document; None without it."""
    value = document.get(name) if isinstance(document, Mapping) else None
    return excerpt(value) if isinstance(value, str) else None
