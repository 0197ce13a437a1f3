"""Variations on the wire."""

from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from abtest.contract.base import (
    ABSENT,
    AsStored,
    DateTime,
    Id,
    Input,
    ListOf,
    Output,
    PublicationWarning,
    PublicId,
    Reference,
)
from abtest.contract.code import Code
from abtest.contract.consent import LiveEdit
from abtest.contract.mutations import Mutation, UrlBlock, UrlBlocks
from abtest.contract.names import Name
from abtest.contract.urls import WebUrl
from abtest.domain.experiments.limits import MAX_STORED_VARIATIONS
from abtest.domain.experiments.model import Experiment as Aggregate
from abtest.domain.experiments.model import Variation as Arm
from abtest.kit.json_objects import present

Weight = Annotated[float, Field(ge=0, le=1)]
Mutations = Annotated[list[Mutation], Field(max_length=1000)]


class VariationFields(Input):
    """Fields of a variation."""

    weight: Weight = ABSENT
    is_control: bool = ABSENT
    mutations: Mutations = ABSENT
    url_blocks: UrlBlocks | None = ABSENT
    custom_css: Code | None = ABSENT
    custom_js: Annotated[Code | None, Field(description="A function body, as in `experiment_js`.")] = ABSENT
    redirect_url: WebUrl | None = ABSENT


class VariationInput(VariationFields):
    """A variation of a new experiment."""

    name: Name


class VariationItem(VariationFields):
    """A variation in the full list of an experiment: an existing one by `id`, or a new one by name."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["id"]}, {"required": ["name"]}]})

    id: Reference = ABSENT
    name: Name = ABSENT

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if not {"id", "name"} & self.model_fields_set:
            raise PydanticCustomError("incomplete", "either id or name is required")
        return self


class VariationCreate(VariationFields, LiveEdit):
    """A new variation."""

    name: Name


class VariationUpdate(VariationFields, LiveEdit):
    """Changes to a variation; absent fields keep their value."""

    name: Name = ABSENT


class WeightsInput(LiveEdit):
    """The weight of each variation in use, by id or public id; they sum to 1."""

    weights: Annotated[dict[str, Weight], Field(min_length=1, max_length=MAX_STORED_VARIATIONS)]


class Variation(Output):
    """One arm of an experiment."""

    id: Id
    public_id: PublicId | None
    experiment_id: Id
    name: str
    weight: float
    is_control: bool
    archived_at: DateTime | None
    archived_by: str | None
    mutations: Annotated[list[Any], AsStored(list[Mutation])]
    url_blocks: Annotated[list[Any] | None, AsStored(list[UrlBlock] | None)]
    custom_css: str | None
    custom_js: str | None
    redirect_url: Annotated[str | None, AsStored(WebUrl | None)]
    publication_warning: PublicationWarning = ABSENT

    @classmethod
    def of(cls, arm: Arm, warning: PublicationWarning | None = None, **measurement: Any) -> Self:
        """Return the response of a variation. `measurement` has the fields of responses with a measurement."""
        return cls(
            id=arm.id,
            public_id=arm.public_id,
            experiment_id=arm.experiment_id,
            name=arm.name,
            weight=arm.weight,
            is_control=arm.is_control,
            archived_at=arm.archived_at,
            archived_by=arm.archived_by,
            mutations=list(arm.mutations),
            url_blocks=None if arm.url_blocks is None else list(arm.url_blocks),
            custom_css=arm.custom_css,
            custom_js=arm.custom_js,
            redirect_url=arm.redirect_url,
            **present(publication_warning=warning),
            **measurement,
        )


class CountedFrom(Output):
    """The measurement that results count in."""

    measurement_epoch: Annotated[
        int, Field(description="Number of the measurement; other variations in use or other weights increment it.")
    ]
    measurement_began_at: Annotated[DateTime | None, Field(description="Null before the first start.")]

    @staticmethod
    def measurement_of(experiment: Aggregate) -> dict[str, Any]:
        """Return the two fields for the current measurement of an experiment."""
        return {
            "measurement_epoch": experiment.measurement_epoch,
            "measurement_began_at": experiment.measurement_started_at,
        }


class WrittenVariation(Variation, CountedFrom):
    """A variation after a write, and the current measurement."""

    @classmethod
    def after(cls, arm: Arm, experiment: Aggregate, warning: PublicationWarning | None) -> Self:
        """Return the variation with the measurement of its experiment."""
        return cls.of(arm, warning, **cls.measurement_of(experiment))


class WeightedVariations(ListOf[Variation], CountedFrom):
    """The variations in use with their weights, and the current measurement."""
