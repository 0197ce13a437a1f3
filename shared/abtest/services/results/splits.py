"""Sample ratio: the split of visitors among the variations against the weights."""

from abtest.contract import results as contract
from abtest.domain.stats.sample_ratio import is_mismatched, sample_ratio, sequential_sample_ratio
from abtest.services.results.counts import Counts
from abtest.services.results.question import Question


def sample_ratio_of(question: Question, counts: Counts, *, monitored: bool = False) -> contract.SampleRatio:
    """Return the sample ratio test of these visitors.

    `monitored`: they are all visitors, whom auto-stop's stored looks cover too.
    """
    ids = [variation.id for variation in question.variations]
    visitors = [counts.visitors.get(variation_id, 0) for variation_id in ids]
    weights = [variation.weight for variation in question.variations]
    ratio = sample_ratio(visitors, weights)
    observed = dict(zip(ids, visitors, strict=True))
    if ratio is None:
        return contract.SampleRatio(
            p_value=None,
            status="not_evaluable",
            expected=dict.fromkeys(ids, 0.0),
            observed=observed,
            sequential_p_value=None,
        )
    sequential = None
    if monitored:
        # The smallest p of all looks counts: a mismatch that was proven once does not go away.
        now = sequential_sample_ratio(visitors, weights)
        before = question.looks.get("srm_p") if question.looks else None
        sequential = min((p for p in (now.p_value if now else None, before) if p is not None), default=None)
    return contract.SampleRatio(
        p_value=ratio.p_value,
        status="mismatch" if is_mismatched(ratio, sequential) else "ok",
        expected=dict(zip(ids, ratio.expected, strict=True)),
        observed=observed,
        sequential_p_value=sequential,
    )
