"""Whether visitors are split among the variations as the weights say."""

from abtest.contract import results as contract
from abtest.domain.stats.sample_ratio import is_mismatched, sample_ratio, sequential_sample_ratio
from abtest.services.results.comparing import Question
from abtest.services.results.tallies import Tally


def sample_ratio_of(question: Question, tally: Tally, *, monitored: bool = False) -> contract.SampleRatio:
    """Of the tally's visitors. `monitored`: they are everybody, whom stored looks and this one follow."""
    ids = [variation.id for variation in question.variations]
    visitors = [tally.visitors.get(variation_id, 0) for variation_id in ids]
    weights = [variation.weight for variation in question.variations]
    found = sample_ratio(visitors, weights)
    observed = dict(zip(ids, visitors, strict=True))
    if found is None:
        return contract.SampleRatio(
            p_value=None,
            status="not_evaluable",
            expected=dict.fromkeys(ids, 0.0),
            observed=observed,
            sequential_p_value=None,
        )
    running = _running(question, visitors, weights) if monitored else None
    return contract.SampleRatio(
        p_value=found.p_value,
        status="mismatch" if is_mismatched(found, running) else "ok",
        expected=dict(zip(ids, found.expected, strict=True)),
        observed=observed,
        sequential_p_value=running,
    )


def _running(question: Question, visitors: list[int], weights: list[float]) -> float | None:
    """The smallest p of all looks, this one included."""
    now = sequential_sample_ratio(visitors, weights)
    before = question.looks.get("srm_p") if question.looks else None
    found = [p for p in (now.p_value if now else None, before) if p is not None]
    return min(found, default=None)
