"""Routes of publication: on demand, and whether webhooks are told."""

from typing import Annotated

from abtest.contract.runtime_settings import PublicationSettings, PublishResult, UpdatePublicationSettings
from abtest.http.deps import Caller, IfMatch, require, use, versioned
from abtest.http.route import Router
from abtest.services.settings.publication import PublicationControl
from api_settings.endpoints.vocabulary import SettingsReader, SettingsWriter

router = Router("/settings", tag="Runtime settings")

Launcher = Annotated[Caller, require("experiments:launch")]
ControlUse = Annotated[PublicationControl, use(PublicationControl)]


@router.get("/publication", operation_id="getPublication")
@versioned
def get_publication(caller: SettingsReader, control: ControlUse) -> PublicationSettings:
    """Whether webhooks are told `project.published`."""
    return control.get(caller)


@router.patch("/publication", operation_id="updatePublication")
@versioned
def update_publication(
    caller: SettingsWriter, body: UpdatePublicationSettings, if_match: IfMatch, control: ControlUse
) -> PublicationSettings:
    """Turn `project.published` on or off; later publications are told, or not."""
    return control.update(caller, body, if_match)


@router.post("/publish", operation_id="publish")
def publish(caller: Launcher, control: ControlUse) -> PublishResult:
    """Publish what is stored now. Where that fails, `precompile` says why, and it is tried again."""
    return control.publish(caller)
