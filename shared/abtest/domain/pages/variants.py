"""Experiments on landing pages: which of them a server can decide, and which version each variation shows."""

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment
from abtest.domain.pages.model import LandingPage, PageExperiment
from abtest.domain.pages.rules import Problem, refuse_problems
from abtest.domain.targeting.compilation import References, compile_targeting
from abtest.domain.targeting.pages import PageView, prepare_pages
from abtest.domain.targeting.shapes import CompiledPage, CompiledTargeting, Condition
from abtest.domain.targeting.urls import parse_address

KNOWN_TO_SERVERS = frozenset({"url", "local"})
"""Attributes that a server knows about each visitor of a page: its address without a query, and local times."""


def refuse_unfit(experiment: Experiment, references: References, address: str) -> None:
    """Raise ValidationFailedError for an experiment that cannot be decided before the page is sent.

    `address` is the page's own. The targeting names pages and audiences of `references`.
    """
    refuse_problems([("experiment_id", reason) for reason in unfit_reasons(experiment, references, address)])


def unfit_reasons(experiment: Experiment, references: References, address: str) -> Iterator[str]:
    """Yield why a landing page at this address cannot show the experiment."""
    if experiment.archived_at is not None:
        yield "the experiment is archived"
    if experiment.status == "completed":
        yield "the experiment is completed"
    if experiment.delivery_type == "redirect":
        yield "a redirect test leads to other pages; use an experiment of the delivery_type mutation"
    targeting = compile_targeting(experiment.targeting, references)
    if targeting.get("surface"):
        yield "the experiment runs on checkouts only (targeting.surface)"
    if unknown := sorted(set(_unknown_conditions(targeting))):
        yield f"only a browser can evaluate these conditions of its targeting: {', '.join(unknown)}"
    elif not _matches(targeting, address):
        yield f"the page rules of its targeting do not match {address}"


def refuse_incomplete(page: LandingPage, experiment: Experiment, linked: PageExperiment) -> None:
    """Raise ValidationFailedError unless each variation in use has one version of the page."""
    refuse_problems(list(_version_problems(page, experiment, linked.versions)))


def _version_problems(page: LandingPage, experiment: Experiment, versions: Mapping[str, str]) -> Iterator[Problem]:
    names = {variation.id: variation.name for variation in in_use(experiment)}
    for variation_id, version_id in versions.items():
        path = f"versions.{variation_id}"
        if variation_id not in names:
            yield path, "the experiment has no such variation in use"
        elif page.entry(version_id) is None:
            yield path, "the landing page has no such version"
    for variation_id, name in names.items():
        if variation_id not in versions:
            yield f"versions.{variation_id}", f"is required: the variation {name!r} needs a version"


def _unknown_conditions(targeting: CompiledTargeting) -> Iterator[str]:
    """Yield what the targeting depends on and no server knows, with repetitions."""
    if targeting.get("identity"):
        yield "customer_id"
    for page in _page_rules(targeting):
        if trigger := page.get("trigger"):
            yield f"trigger {trigger.partition(':')[0]}"
        for rule in (*page.get("include", ()), *page.get("exclude", ())):
            # A page has one address, whatever query it is requested with.
            yield from (f"{part} of the address" for part in ("query", "hash") if part in rule)
        yield from _unknown_attributes(page.get("when", {}))
    if audience := targeting.get("audience"):
        for condition in (*audience["in"], *audience["out"]):
            yield from _unknown_attributes(condition)


def _page_rules(targeting: CompiledTargeting) -> Iterator[CompiledPage]:
    if pages := targeting.get("pages"):
        yield from (*pages["in"], *pages["out"])


def _unknown_attributes(condition: object) -> Iterator[str]:
    """Yield the attributes that a condition reads and no server knows (paths as in docs/data-model.md, section 2.2)."""
    if not isinstance(condition, Mapping):
        return
    for key, operand in condition.items():
        if key == "$not":
            yield from _unknown_attributes(operand)
        elif key in ("$and", "$or", "$nor"):
            for each in cast(Iterable[Condition], operand) if isinstance(operand, list | tuple) else ():
                yield from _unknown_attributes(each)
        elif (attribute := key.partition(".")[0]) not in KNOWN_TO_SERVERS:
            yield attribute


def _matches(targeting: CompiledTargeting, address: str) -> bool:
    """Return whether the page rules may hold at the address; only local times can still decide otherwise."""
    pages = targeting.get("pages")
    if pages is None:
        return True
    inside: list[CompiledPage] = [_without_times(page) for page in pages["in"]]
    outside = [page for page in pages["out"] if "when" not in page]
    holds = prepare_pages({"mode": pages["mode"], "in": inside, "out": outside})
    return holds(PageView(parse_address(address), {"url": address}))


def _without_times(page: CompiledPage) -> CompiledPage:
    return cast(CompiledPage, {name: value for name, value in page.items() if name != "when"})
