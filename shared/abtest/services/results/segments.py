"""Results by one dimension or two: the segments with most visitors, all comparisons of a goal corrected together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from abtest.contract import results as contract
from abtest.domain.goals.model import Goal
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.results.comparing import Question, reading_of
from abtest.services.results.engines import compare
from abtest.services.results.narrowing import ORDER, WHOLE, Range, narrowed
from abtest.services.results.questions import ShopRules, chosen_goals
from abtest.services.results.reading import RollupReader, Snapshot
from abtest.services.results.rows import goal_result
from abtest.services.results.tallies import Tally

SEGMENTS_TOLD = 100
MANY = 10
"""From so many segments on, a reader is warned even though comparisons are corrected."""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Segments by visitors, and how many there are beyond those."""

    data: list[contract.SegmentResults]
    left_out: int


class SegmentReading:
    """Segments of the caller's experiments."""

    def __init__(self, world: World, reader: RollupReader) -> None:
        self._world = world
        self._reader = reader

    def read(
        self,
        caller: Caller,
        reference: str,
        dimensions: Sequence[contract.Dimension],
        *,
        goal_ids: Sequence[str] = (),
        asked: Range = WHOLE,
        correction: contract.Correction | None = None,
        engine: contract.SegmentEngine = "frequentist",
    ) -> contract.Segments:
        """Visitors by the values of these dimensions when first exposed.

        Raises NotFoundError for an experiment or goal that the shop does not have, ValidationFailedError for a range
        that is not of whole UTC days.
        """
        catalog = self._world.catalog
        experiment = experiment_of(catalog, caller.shop_id, reference)
        rules = ShopRules(catalog, caller.shop_id)
        goals = chosen_goals(experiment, goal_ids)

        def ask(snapshot: Snapshot) -> contract.Segments:
            question = rules.question(experiment, snapshot.totals, correction, engine=engine)
            which = narrowed(experiment, snapshot, asked, by_day=True)
            found = breakdown(question, goals, which.segments(snapshot, _ordered(dimensions)), dimensions)
            totals = snapshot.totals or {}
            return contract.Segments(
                experiment_id=experiment.id,
                measurement_epoch=experiment.measurement_epoch,
                computed_at=totals.get("computed_at"),
                generation=totals.get("generation"),
                dimensions=list(dimensions),
                engine=engine,
                alpha=question.alpha,
                correction=question.correction,
                narrowed_to=which.told(by_day=True),
                warnings=_warnings(question.correction, found),
                left_out=found.left_out,
                data=found.data,
            )

        return self._reader.read(experiment.id, experiment.measurement_epoch, ask)


def breakdown(
    question: Question, goals: Sequence[Goal], segments: Mapping[str, Tally], dimensions: Sequence[contract.Dimension]
) -> Breakdown:
    """Most visitors first, then by value. Segments of archived variations alone are none.

    Stored looks are of everybody, and say nothing of a part.
    """
    question = replace(question, looks=None)
    seen = [(value, tally) for value, tally in segments.items() if question.visitors(tally)]
    seen.sort(key=lambda found: (-question.visitors(found[1]), found[0]))
    told = seen[:SEGMENTS_TOLD]
    columns = [_column(question, goal, [tally for _, tally in told]) for goal in goals]
    data = [
        contract.SegmentResults(
            values=dict(zip(_ordered(dimensions), value.split("|"), strict=True)),
            visitors=question.visitors(tally),
            goals=[column[place] for column in columns],
        )
        for place, (value, tally) in enumerate(told)
    ]
    return Breakdown(data, len(seen) - len(told))


def _column(question: Question, goal: Goal, tallies: Sequence[Tally]) -> list[contract.GoalResult]:
    """The goal in each segment, all its comparisons corrected together."""
    readings = [reading_of(question, goal, tally) for tally in tallies]
    return [goal_result(reading, found) for reading, found in zip(readings, compare(readings), strict=True)]


def _ordered(dimensions: Sequence[contract.Dimension]) -> list[contract.Dimension]:
    """As roll-ups order pairs."""
    return sorted(dimensions, key=ORDER.index)


def _warnings(correction: contract.Correction, found: Breakdown) -> list[contract.SegmentWarning]:
    """What to keep in mind, if anything."""
    told = []
    if correction == "none" and len(found.data) > 1:
        message = "p-values are not corrected for the number of segments: with alpha 0.05 one in twenty lies"
        told.append(contract.SegmentWarning(code="uncorrected_segments", message=message))
    if len(found.data) >= MANY:
        message = "many segments: differences that nobody expected beforehand are to be tested anew"
        told.append(contract.SegmentWarning(code="many_segments", message=message))
    if found.left_out:
        message = f"{found.left_out} segments with fewer visitors are left out, and not part of the correction"
        told.append(contract.SegmentWarning(code="segments_left_out", message=message))
    return told
