"""Redirect rules: no destination may lead back to a page that redirects."""

from collections.abc import Iterator

from ada_url import URL

from abtest.domain.experiments.errors import RedirectMatchesSourceError
from abtest.domain.experiments.model import Experiment
from abtest.domain.targeting.shapes import UrlRule
from abtest.domain.targeting.urls import matches
from abtest.kit.errors import FieldError


def check(experiment: Experiment) -> None:
    """Raise RedirectMatchesSourceError for the first destination that the source rules match.

    A destination that differs from a source only in its query is another page (an alternate template) and fine.
    """
    if experiment.delivery_type != "redirect":
        return
    for index, variation in enumerate(experiment.variations):
        if variation.archived_at is None and variation.redirect_url and is_source(experiment, variation.redirect_url):
            path = f"variations[{index}].redirect_url"
            raise RedirectMatchesSourceError(
                f"{variation.redirect_url[:200]} is itself a page that this experiment redirects",
                fields=[FieldError(path, "matches the experiment's own source rules")],
            )


def is_source(experiment: Experiment, url: str) -> bool:
    """Return whether a visit to the url would be redirected again."""
    return any(
        any(_holds(rule, url) and not _differs_in_query_only(rule, url) for rule in includes)
        and not any(_holds(rule, url) for rule in excludes)
        for includes, excludes in _source_rules(experiment)
    )


def has_source_rules(experiment: Experiment) -> bool:
    """Return whether any page rule restricts the pages from which the experiment redirects."""
    pages = (experiment.targeting or {}).get("pageRules", ())
    by_reference = any("pageId" in page and not page.get("disabled") for page in pages)
    return by_reference or any(includes for includes, _ in _source_rules(experiment))


def _source_rules(experiment: Experiment) -> Iterator[tuple[list[UrlRule], list[UrlRule]]]:
    """Positive rules and their exceptions, for each enabled page rule that includes pages."""
    for page in (experiment.targeting or {}).get("pageRules", ()):
        if page.get("disabled") or page.get("include") is False or "includeRules" not in page:
            continue  # a reference to a page of the shop: the service puts the page's own rules in its place before
        excluded: list[UrlRule] = [{**rule, "include": False} for rule in page["excludeRules"]]
        rules = [*page["includeRules"], *excluded]
        positive = [rule for rule in rules if rule.get("include") is not False]
        yield positive, [rule for rule in rules if rule.get("include") is False]


def _holds(rule: UrlRule, url: str) -> bool:
    return matches(rule["type"], rule["pattern"], url)


def _differs_in_query_only(rule: UrlRule, url: str) -> bool:
    """Return whether the url matches the rule in all but the query: a simple rule without a wildcard names one page."""
    place, _, query = rule["pattern"].partition("#")[0].partition("?")
    if rule["type"] != "simple" or "*" in place:
        return False
    there: str = URL(url).search
    return there.removeprefix("?") != str(query)
