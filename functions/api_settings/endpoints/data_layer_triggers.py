"""Routes of data-layer triggers."""

from typing import Annotated, Literal

from fastapi import Query

from abtest.contract.base import ListOf
from abtest.contract.data_layer_triggers import (
    DataLayerTrigger,
    DataLayerTriggerInput,
    TriggerTest,
    TriggerTestInput,
)
from abtest.domain.changes.errors import CodeBudgetExceededError
from abtest.http.deps import IfMatch, Page, PathId, use
from abtest.http.listing import Narrowed
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.signals.triggers import Triggers
from api_settings.endpoints.vocabulary import SettingsReader, SettingsWriter

router = Router("/settings/data-layer-triggers", tag="Data-layer triggers")

Uses = Annotated[Triggers, use(Triggers)]
RULES = (ValidationFailedError, CodeBudgetExceededError)


@router.get("", operation_id="listDataLayerTriggers", responses=errors(LimitReachedError))
def list_triggers(
    caller: SettingsReader,
    page: Page,
    triggers: Uses,
    filters: Narrowed,
    status: Annotated[
        Literal["enabled", "disabled"] | None,
        Query(description="Only triggers that storefronts listen for, or only the others."),
    ] = None,
) -> ListOf[DataLayerTrigger]:
    """List data-layer triggers, newest first."""
    items, last = triggers.page(caller.shop_id, filters.where(status=status), limit=page.limit, after=page.after)
    return page.page([DataLayerTrigger.of(item) for item in items], last)


@router.post("", operation_id="createDataLayerTrigger", status_code=201, responses=errors(*RULES, LimitReachedError))
def create_trigger(body: DataLayerTriggerInput, caller: SettingsWriter, triggers: Uses) -> DataLayerTrigger:
    """Create a trigger and publish it to every environment.

    A shop has at most 100 (422 `limit_reached`), each of at most 16,000 bytes as JSON (422 `code_budget_exceeded`).
    """
    saved = triggers.create(caller, body.provided())
    return DataLayerTrigger.of(saved.value, saved.warning)


@router.post("/test", operation_id="testDataLayerTrigger", responses=errors(*RULES))
def try_trigger(body: TriggerTestInput, _caller: SettingsReader, triggers: Uses) -> TriggerTest:
    """Test a trigger on a payload: whether it matches, and the revenue and properties it reads.

    `enabled` is ignored. `errors` lists paths whose value is missing or unusable. The payload is any JSON of at most 20
    levels and 64 KB. Nothing is stored or counted.
    """
    return TriggerTest.of(triggers.tried(body.trigger.provided(), body.payload))


@router.get("/{trigger_id}", operation_id="getDataLayerTrigger", responses=errors(NotFoundError))
def get_trigger(trigger_id: PathId, caller: SettingsReader, triggers: Uses) -> DataLayerTrigger:
    """Return one trigger."""
    return DataLayerTrigger.of(triggers.get(caller.shop_id, trigger_id))


@router.put("/{trigger_id}", operation_id="replaceDataLayerTrigger", responses=errors(NotFoundError, *RULES))
def replace_trigger(
    trigger_id: PathId, body: DataLayerTriggerInput, caller: SettingsWriter, triggers: Uses, if_match: IfMatch
) -> DataLayerTrigger:
    """Replace a trigger and publish it. Fields that the request omits are removed."""
    saved = triggers.replace(caller, trigger_id, body.provided(), expected_version=if_match)
    return DataLayerTrigger.of(saved.value, saved.warning)


@router.delete("/{trigger_id}", operation_id="deleteDataLayerTrigger", status_code=204, responses=errors(NotFoundError))
def delete_trigger(trigger_id: PathId, caller: SettingsWriter, triggers: Uses, if_match: IfMatch) -> None:
    """Delete a trigger and publish the change."""
    triggers.remove(caller, trigger_id, expected_version=if_match)
