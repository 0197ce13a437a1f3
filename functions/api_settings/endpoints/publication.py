"""Routes of publication: on demand, and its webhook setting."""

from typing import Annotated

from abtest.contract.runtime_settings import PublicationSettings, PublishResult, UpdatePublicationSettings
from abtest.http.deps import Caller, IfMatch, require, use, versioned
from abtest.http.route import Router
from abtest.services.settings.publication import PublicationControl
from api_settings.endpoints.vocabulary import SettingsReader, SettingsWriter

router = Router("/settings", tag="Runtime settings")

# Publishing can bring stored changes to shoppers, so it takes the scope of launching.
Launcher = Annotated[Caller, require("experiments:launch")]
ControlUse = Annotated[PublicationControl, use(PublicationControl)]


@router.get("/publication", operation_id="getPublication")
@versioned
def get_publication(caller: SettingsReader, control: ControlUse) -> PublicationSettings:
    """Return whether webhooks receive `project.published`."""
    return control.get(caller)


@router.patch("/publication", operation_id="updatePublication")
@versioned
def update_publication(
    caller: SettingsWriter, body: UpdatePublicationSettings, if_match: IfMatch, control: ControlUse
) -> PublicationSettings:
    """Turn `project.published` on or off, for later publications."""
    return control.update(caller, body, if_match)


@router.post("/publish", operation_id="publish")
def publish(caller: Launcher, control: ControlUse) -> PublishResult:
    """Publish the current state of the shop.

    The status is 200 also when publishing failed: then `status` is `failed`, `revision` is null, `precompile` has the
    error, and publishing is retried. Within a second of a publication that has the current state, the response is that
    of this publication.
    """
    return control.publish(caller)
