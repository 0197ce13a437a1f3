"""The route that evaluates flags for servers."""

from typing import Annotated

from abtest.contract.flags import EvaluatedFlag, FlagEvaluation, FlagEvaluationInput
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError
from abtest.services.flags.evaluation import Evaluation
from api_flags.endpoints.vocabulary import Reader

router = Router("/flags", tag="Feature flags")

Evaluations = Annotated[Evaluation, use(Evaluation)]


@router.post("/evaluate", operation_id="evaluateFlags", responses=errors(LimitReachedError))
def evaluate_flags(body: FlagEvaluationInput, caller: Reader, evaluation: Evaluations) -> FlagEvaluation:
    """Evaluate every active and paused flag of an environment for one visitor.

    `reason` is `on`, or the cause of the off value: `paused`, `dark` (excluded by the weekday schedule), `targeting` or
    `rollout`. `environment_key` defaults to `production`. The response uses the stored flags, not the published ones;
    values over 4.5 MB together are 422 `limit_reached`.
    """
    flags = evaluation.evaluate(caller.shop_id, **body.provided())
    return FlagEvaluation(flags={key: EvaluatedFlag(**each) for key, each in flags.items()})
