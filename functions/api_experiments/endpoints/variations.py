"""Routes of variations, below their experiment and at their own address."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.consent import Acknowledgement
from abtest.contract.errors import PageLiveImpactEnvelope
from abtest.contract.previews import PreviewLink, PreviewLinkInput
from abtest.contract.variations import (
    Variation,
    VariationCreate,
    VariationUpdate,
    WeightedVariations,
    WeightsInput,
    WrittenVariation,
)
from abtest.domain.changes.errors import LiveImpactError, NotDeletableError
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.experiments.errors import RedirectMatchesSourceError, WeightsSumError
from abtest.domain.experiments.variations import find
from abtest.domain.targeting.admission import UnsafeRegexError
from abtest.http.deps import IfMatch, Page, carries_code, confidential, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.http.validation import InlineDataUriTooLargeError
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.experiments.scripts import InvalidScriptError
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.variations import Variations
from abtest.services.preview_links import PreviewLinks
from abtest.services.preview_sessions import DEFAULT_SECONDS
from abtest.services.publication import TooLargeError
from api_experiments.endpoints.vocabulary import (
    Archived,
    ExperimentId,
    Previewer,
    Reader,
    VariationId,
    Writer,
    part_of,
    variation,
    variations_of,
    weighed,
)

router = Router("/experiments/{experiment_id}/variations", tag="Variations")
alone = Router("/variations", tag="Variations")

Arms = Annotated[Variations, use(Variations)]
Reads = Annotated[ExperimentStore, use(ExperimentStore)]
UsesLinks = Annotated[PreviewLinks, use(PreviewLinks)]

EDIT = errors(
    NotFoundError,
    LiveImpactError,
    InlineDataUriTooLargeError,
    InvalidScriptError,
    TooLargeError,
    LimitReachedError,
    RedirectMatchesSourceError,
    UnsafeRegexError,
    ValidationFailedError,
    WeightsSumError,
    s409=PageLiveImpactEnvelope,
)
DELETION = errors(NotFoundError, NotDeletableError, ValidationFailedError)


@router.get("", operation_id="listVariations", responses=errors(NotFoundError))
def list_variations(
    experiment_id: ExperimentId, caller: Reader, page: Page, experiments: Reads, archived: Archived = "false"
) -> ListOf[Variation]:
    """List the variations of an experiment, in their order."""
    return part_of(page, variations_of(experiments.get(caller.shop_id, experiment_id), archived))


@router.post("", operation_id="createVariation", status_code=201, responses=EDIT)
@carries_code
def create_variation(
    experiment_id: ExperimentId, body: VariationCreate, caller: Writer, arms: Arms, if_match: IfMatch
) -> WrittenVariation:
    """Add a variation. Its weight is 0 unless given, and it is not the control.

    In a started test this begins a new measurement, shown in the response: results restart from there, and visitors
    keep their variation.
    """
    consent = body.consent()
    return variation(arms.add(caller, experiment_id, body.provided(), consent=consent, expected_version=if_match))


@router.put("/weights", operation_id="setWeights", responses=EDIT)
def set_weights(
    experiment_id: ExperimentId, body: WeightsInput, caller: Writer, arms: Arms, if_match: IfMatch
) -> WeightedVariations:
    """Set the weights of all variations in use.

    In a started test this begins a new measurement, shown in the response: results restart from there, and visitors
    keep their variation.
    """
    consent = body.consent()
    weights = body.provided()["weights"]
    return weighed(arms.weigh(caller, experiment_id, weights, consent=consent, expected_version=if_match))


@router.get("/{variation_id}", operation_id="getVariation", responses=errors(NotFoundError))
def get_variation(
    experiment_id: ExperimentId, variation_id: VariationId, caller: Reader, experiments: Reads
) -> Variation:
    """Return one variation, by its UUID or its public id."""
    experiment = experiments.get(caller.shop_id, experiment_id)
    return Variation.of(find(experiment, variation_id)).at(experiment.version)


@router.patch("/{variation_id}", operation_id="updateVariation", responses=EDIT)
@carries_code
def update_variation(
    experiment_id: ExperimentId,
    variation_id: VariationId,
    body: VariationUpdate,
    caller: Writer,
    arms: Arms,
    if_match: IfMatch,
) -> WrittenVariation:
    """Change a variation. While the experiment runs this needs `confirm_live_impact`.

    The response shows the measurement that results count in. A new weight in a started test begins a new one.
    """
    consent = body.consent()
    return variation(
        arms.update(caller, experiment_id, variation_id, body.provided(), consent=consent, expected_version=if_match)
    )


@router.delete("/{variation_id}", operation_id="deleteVariation", status_code=204, responses=DELETION)
def delete_variation(
    experiment_id: ExperimentId, variation_id: VariationId, caller: Writer, arms: Arms, if_match: IfMatch
) -> None:
    """Delete a variation of a draft that never started."""
    arms.delete(caller, experiment_id, variation_id, expected_version=if_match)


@router.post("/{variation_id}/archive", operation_id="archiveVariation", responses=EDIT)
def archive_variation(
    experiment_id: ExperimentId,
    variation_id: VariationId,
    caller: Writer,
    arms: Arms,
    if_match: IfMatch,
    body: Acknowledgement | None = None,
) -> WrittenVariation:
    """Take a variation out of use. While the experiment runs, first give its weight to other variations.

    In a started test this begins a new measurement, shown in the response: results restart from there, and visitors
    keep their variation.
    """
    consent = (body or Acknowledgement()).consent()
    return variation(
        arms.set_archived(caller, experiment_id, variation_id, True, consent=consent, expected_version=if_match)
    )


@router.post("/{variation_id}/unarchive", operation_id="unarchiveVariation", responses=EDIT)
def unarchive_variation(
    experiment_id: ExperimentId,
    variation_id: VariationId,
    caller: Writer,
    arms: Arms,
    if_match: IfMatch,
    body: Acknowledgement | None = None,
) -> WrittenVariation:
    """Bring a variation back into use.

    In a started test this begins a new measurement, shown in the response: results restart from there, and visitors
    keep their variation.
    """
    consent = (body or Acknowledgement()).consent()
    return variation(
        arms.set_archived(caller, experiment_id, variation_id, False, consent=consent, expected_version=if_match)
    )


@router.post(
    "/{variation_id}/preview-link",
    operation_id="createPreviewLink",
    status_code=201,
    responses=errors(NotFoundError, TooLargeError, UrlNotAllowedError, ValidationFailedError),
)
@confidential
def create_preview_link(
    experiment_id: ExperimentId,
    variation_id: VariationId,
    body: PreviewLinkInput,
    caller: Previewer,
    links: UsesLinks,
) -> PreviewLink:
    """Create a temporary link that shows the variation on the shop's own page, whatever the experiment's status is.

    The link is `url` with `svc_preview`. It shows the experiment as it is now, even if it changes later, to those who
    open it; nothing is counted. It ends after `ttl_seconds`, an hour by default, or with `DELETE
    /previews/{session_id}`. The host of `url` must be one of the shop's install domains (422 `url_not_allowed`).
    `POST /previews` shows the same through a proxy.
    """
    seconds = body.provided().get("ttl_seconds", DEFAULT_SECONDS)
    opened = links.of_variation(caller, experiment_id, variation_id, url=body.url, ttl_seconds=seconds)
    return PreviewLink.of(opened.session, opened.preview_url, opened.token)


@alone.get("/{variation_id}", operation_id="getVariationAlone", responses=errors(NotFoundError))
def get_variation_alone(variation_id: VariationId, caller: Reader, experiments: Reads) -> Variation:
    """Return one variation without naming its experiment."""
    experiment, arm = experiments.variation(caller.shop_id, variation_id)
    return Variation.of(arm).at(experiment.version)


@alone.patch("/{variation_id}", operation_id="updateVariationAlone", responses=EDIT)
@carries_code
def update_variation_alone(
    variation_id: VariationId, body: VariationUpdate, caller: Writer, arms: Arms, experiments: Reads, if_match: IfMatch
) -> WrittenVariation:
    """Change a variation without naming its experiment."""
    consent, arm = body.consent(), experiments.variation(caller.shop_id, variation_id)[1]
    return variation(
        arms.update(caller, arm.experiment_id, arm.id, body.provided(), consent=consent, expected_version=if_match)
    )


@alone.delete("/{variation_id}", operation_id="deleteVariationAlone", status_code=204, responses=DELETION)
def delete_variation_alone(variation_id: VariationId, caller: Writer, arms: Arms, if_match: IfMatch) -> None:
    """Delete a variation of a draft that never started, without naming its experiment."""
    arms.delete_alone(caller, variation_id, expected_version=if_match)
