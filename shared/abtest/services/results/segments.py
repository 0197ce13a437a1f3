"""Results by one dimension or two: the segments with most visitors, the comparisons of a family corrected together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from abtest.contract import results as contract
from abtest.domain.goals.model import Goal
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.results.counts import Counts
from abtest.services.results.engine_choices import choice_of, engine_fields
from abtest.services.results.families import compare_goals, correction_message
from abtest.services.results.population import ORDER, WHOLE, Range, population_of
from abtest.services.results.question import Question
from abtest.services.results.rows import goal_result
from abtest.services.results.shop_rules import ShopRules, chosen_goals
from abtest.services.results.snapshots import RollupReader, Snapshot

MAX_SEGMENTS = 100
MANY = 10
"""Segments from which on a reader is warned even though comparisons are corrected."""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Segments by visitors, and how many further ones are left out."""

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
        range_: Range = WHOLE,
        correction: contract.Correction | None = None,
        family: contract.CorrectionFamily = "treatments",
        engine: contract.SegmentEngine | None = None,
    ) -> contract.Segments:
        """Return visitors by the values of these dimensions at first exposure; `engine` None: the experiment's default.

        Raises NotFoundError for an experiment or goal that the shop does not have, ValidationFailedError for a range
        that is not of whole UTC days.
        """
        catalog = self._world.catalog
        experiment = experiment_of(catalog, caller.shop_id, reference)
        rules = ShopRules(catalog, caller.shop_id)
        goals = chosen_goals(experiment, goal_ids)

        def compute(snapshot: Snapshot) -> contract.Segments:
            choice = choice_of(experiment, rules, snapshot, engine, is_whole=False)
            question = rules.question(experiment, snapshot.totals, correction, engine=choice.engine)
            question = replace(question, family=family)
            population = population_of(experiment, snapshot, range_, by_day=True)
            segments = breakdown(question, goals, population.segments(snapshot, _ordered(dimensions)), dimensions)
            totals = snapshot.totals or {}
            return contract.Segments(
                experiment_id=experiment.id,
                measurement_epoch=experiment.measurement_epoch,
                computed_at=totals.get("computed_at"),
                generation=totals.get("generation"),
                dimensions=list(dimensions),
                **engine_fields(choice),
                alpha=question.alpha,
                correction=question.correction,
                correction_family=question.family,
                correction_message=correction_message(question.correction, question.family),
                narrowed_to=population.narrowing(by_day=True),
                warnings=warnings_of(question.correction, segments),
                left_out=segments.left_out,
                data=segments.data,
            )

        return self._reader.read(experiment.id, experiment.measurement_epoch, compute)


def breakdown(
    question: Question, goals: Sequence[Goal], segments: Mapping[str, Counts], dimensions: Sequence[contract.Dimension]
) -> Breakdown:
    """Return segments with most visitors first, then by value. Segments of archived variations alone are left out."""
    # Stored looks cover all visitors, so they do not hold for a part of them.
    engine = "sequential" if question.engine == "group_sequential" else question.engine
    question = replace(question, looks=None, engine=engine)
    seen = [(value, counts) for value, counts in segments.items() if question.visitors(counts)]
    # Ties by value, so that the cut at MAX_SEGMENTS is the same at each reading.
    seen.sort(key=lambda segment: (-question.visitors(segment[1]), segment[0]))
    shown = seen[:MAX_SEGMENTS]
    compared = compare_goals(question, goals, [counts for _, counts in shown])
    by_goal = [[goal_result(*each) for each in by_segment] for by_segment in compared]
    data = [
        contract.SegmentResults(
            values=dict(zip(_ordered(dimensions), value.split("|"), strict=True)),
            visitors=question.visitors(counts),
            goals=[results[place] for results in by_goal],
        )
        for place, (value, counts) in enumerate(shown)
    ]
    return Breakdown(data, len(seen) - len(shown))


def _ordered(dimensions: Sequence[contract.Dimension]) -> list[contract.Dimension]:
    return sorted(dimensions, key=ORDER.index)


def warnings_of(correction: contract.Correction, segments: Breakdown) -> list[contract.SegmentWarning]:
    """Return cautions for the reader: uncorrected p-values, many segments, segments left out."""
    warnings = []
    if correction == "none" and len(segments.data) > 1:
        message = "p-values are not corrected for the number of segments: with alpha 0.05 one in twenty is wrong"
        warnings.append(contract.SegmentWarning(code="uncorrected_segments", message=message))
    if len(segments.data) >= MANY:
        message = "many segments: test differences that no one expected beforehand again"
        warnings.append(contract.SegmentWarning(code="many_segments", message=message))
    if segments.left_out:
        message = f"{segments.left_out} segments with fewer visitors are left out, and not part of the correction"
        warnings.append(contract.SegmentWarning(code="segments_left_out", message=message))
    return warnings
