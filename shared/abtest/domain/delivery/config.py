"""Published config of a shop, exactly as section 1 of docs/data-model.md describes it.

The parts are compiled once for all environments of a shop; each environment's config is then assembled from them.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from abtest.domain.assignment.hash import fold
from abtest.domain.assignment.shapes import (
    Decided,
    PublishedExperiment,
    PublishedFlag,
    PublishedHoldout,
    PublishedPersonalization,
)
from abtest.domain.delivery.experiments import compile_experiment, groups_of_members
from abtest.domain.delivery.parts import below
from abtest.domain.delivery.rollouts import compile_flag, compile_personalization
from abtest.domain.delivery.shapes import PublishedConfig, PublishedRuntime
from abtest.domain.exclusion_groups.model import ExclusionGroup
from abtest.domain.experiments.model import Experiment
from abtest.domain.flags.model import Flag
from abtest.domain.personalizations.model import Personalization
from abtest.domain.settings import consent, external_tracking
from abtest.domain.settings.runtime import UNTOUCHED, RuntimeSettings
from abtest.domain.settings.shop import Shop
from abtest.domain.signals.compilation import compile_trigger
from abtest.domain.signals.model import Trigger
from abtest.domain.signals.shapes import CompiledTrigger
from abtest.domain.targeting.compilation import NO_REFERENCES, References, zones_in
from abtest.kit.json_objects import present

FORMAT = 1

_Item = TypeVar("_Item", Experiment, Personalization, Flag, Trigger)
_Published = TypeVar("_Published")


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """Settings of the storefront, which a config has next to the delivered parts."""

    shop_id: str
    environment: str
    currency: str
    events_url: str
    events_signature: str
    handover_url: str = ""
    shop_domain: str = ""
    settings: RuntimeSettings = UNTOUCHED
    is_preview: bool = False
    """True where people look at pages before visitors do: nothing is counted."""

    def document(self) -> PublishedRuntime:
        """Return the config's `runtime`."""
        runtime: PublishedRuntime = {
            "environment": self.environment,
            "currency": self.currency,
            "events_url": self.events_url,
            "events_signature": self.events_signature,
        }
        environments = self.settings.environments
        # Only the active environment leads to others: a sub-snippet that did so could lead back.
        is_active = self.environment == environments.active_key
        runtime |= present(
            consent=consent.compiled(self.settings.consent),
            handover=external_tracking.handover(self.settings.external_tracking, self.handover_url),
            environments=environments.with_sub_snippets() if is_active else [],
            domains=self.settings.cookie_domains(self.shop_domain),
            exposures=self.settings.exposure_destinations.enabled,
            preview=self.is_preview,
        )
        return runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Stored resources of a shop that shoppers may see, in all environments."""

    experiments: Sequence[Experiment] = ()
    personalizations: Sequence[Personalization] = ()
    flags: Sequence[Flag] = ()
    groups: Sequence[ExclusionGroup] = ()
    triggers: Sequence[Trigger] = ()
    references: References = NO_REFERENCES
    served: Collection[str] = ()
    """Ids of experiments that landing pages show."""

    @property
    def environments(self) -> frozenset[str]:
        """Return the environments with an active personalization, or with an active or paused flag."""
        personalized = {str(each.environment_key) for each in self.personalizations if is_active(each)}
        return frozenset(personalized | {str(each.environment_key) for each in self.flags if is_decided(each)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Generic[_Published]):
    """A compiled personalization or flag, and the environment that it is for."""

    environment: str
    config: _Published


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """Compiled parts, each list in the config's order. `left_out` has the name and error of each item that failed."""

    holdout: PublishedHoldout | None = None
    experiments: Sequence[PublishedExperiment] = ()
    personalizations: Sequence[Part[PublishedPersonalization]] = ()
    flags: Sequence[Part[PublishedFlag]] = ()
    triggers: Sequence[CompiledTrigger] = ()
    left_out: Sequence[str] = ()


NOTHING = Delivered()


def compile_shop(shop: Shop, stored: Stored) -> Delivered:
    """Compile running experiments, active personalizations, active and paused flags, and enabled triggers.

    An item that does not compile is left out alone.
    """
    left_out: list[str] = []
    groups, references = groups_of_members(stored.groups), stored.references
    experiments = _compiled(
        filter(is_running, stored.experiments),
        lambda each: (str(each.id),),
        lambda each: compile_experiment(each, references, groups, is_served=each.id in stored.served),
        left_out,
    )
    personalizations = _compiled(
        filter(is_active, stored.personalizations),
        lambda each: (int(each.priority), str(each.id)),
        lambda each: compile_personalization(each, references),
        left_out,
    )
    flags = _flags(filter(is_public, stored.flags), references, left_out)
    enabled = (trigger for trigger in stored.triggers if trigger.is_enabled)
    triggers = _compiled(enabled, lambda each: (str(each.id),), compile_trigger, left_out)
    holdout: PublishedHoldout | None = None
    if shop.holdout_v1_enabled:
        share = below(shop.holdout_pct / 100)
        holdout = {"state": fold(f"holdout:{shop.id}"), "below": share, "epoch": shop.holdout_config_epoch}
    return Delivered(
        holdout=holdout,
        experiments=[part for _, part in experiments],
        personalizations=[Part(environment=each.environment_key, config=part) for each, part in personalizations],
        flags=[Part(environment=each.environment_key, config=part) for each, part in flags],
        triggers=[part for _, part in triggers],
        left_out=left_out,
    )


def compile_config(runtime: Runtime, delivered: Delivered, revision: int) -> PublishedConfig:
    """Assemble the config of one environment: all experiments, the holdout, and the environment's own other parts."""
    personalizations = [part.config for part in delivered.personalizations if part.environment == runtime.environment]
    flags = [part.config for part in delivered.flags if part.environment == runtime.environment]
    config: PublishedConfig = {
        "shop_id": runtime.shop_id,
        "runtime": runtime.document(),
        "signals": present(triggers=delivered.triggers),
        "profile": {},
        "delivery": {"format": FORMAT, "revision": revision},
        "experiments": list(delivered.experiments),
    }
    config |= present(
        zones=_zones([*delivered.experiments, *personalizations, *flags]),
        holdout=delivered.holdout,
        personalizations=personalizations,
        flags=flags,
    )
    return config


def compile_flags(shop_id: str, flags: Iterable[Flag], references: References) -> Decided:
    """Compile the part of a config that decides these flags: active and paused ones, also those for servers."""
    parts = [part for _, part in _flags(filter(is_decided, flags), references, [])]
    config: Decided = {"shop_id": shop_id, "experiments": []}
    config |= present(zones=_zones(parts), flags=parts)
    return config


def _flags(flags: Iterable[Flag], references: References, left_out: list[str]) -> list[tuple[Flag, PublishedFlag]]:
    return _compiled(flags, lambda each: (str(each.key),), lambda each: compile_flag(each, references), left_out)


def is_running(experiment: Experiment) -> bool:
    """Return whether shoppers get the experiment."""
    return experiment.status == "running" and experiment.archived_at is None


def is_active(personalization: Personalization) -> bool:
    """Return whether shoppers get the personalization."""
    return personalization.status == "active"


def is_decided(flag: Flag) -> bool:
    """Return whether the flag is active or paused, so that a value of it is decided."""
    return flag.status in ("active", "paused")


def is_public(flag: Flag) -> bool:
    """Return whether pages get the flag: active and paused ones that are not for servers alone."""
    return flag.delivery_type == "visual" and is_decided(flag)


def _compiled(
    items: Iterable[_Item],
    key: Callable[[_Item], tuple[int | str, ...]],
    compiled: Callable[[_Item], _Published],
    left_out: list[str],
) -> list[tuple[_Item, _Published]]:
    """Return the items with their parts, in the order of their keys."""
    made: list[tuple[tuple[int | str, ...], _Item, _Published]] = []
    for item in items:
        try:
            made.append((key(item), item, compiled(item)))
        # An older release may have stored any form: whatever is wrong with one item must not stop the publication.
        except Exception as error:
            left_out.append(f"{item.name!r} is left out: {type(error).__name__}: {error}")
    return [(item, part) for _, item, part in sorted(made, key=lambda each: each[0])]


_TARGETED = ("pages", "audience", "rules", "goals")


def _zones(parts: Iterable[Mapping[str, object]]) -> list[str]:
    targeted = (part[name] for part in parts for name in _TARGETED if name in part)
    return sorted({zone for value in targeted for zone in zones_in(value)})
