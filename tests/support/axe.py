"""axe-core in a page: what it finds, without a description of all that passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Selectors for what passes take longer than the rules, and so does the whole answer on its way here.
RUN = """async (rules) => {
  const options = {runOnly: rules, iframes: false, resultTypes: ["violations"]};
  const {violations, passes} = await axe.run(document, options);
  const barriers = violations.flatMap(({id, nodes}) => nodes.map((node) => [id, node.html.slice(0, 200), node.target]));
  return {barriers, passed: passes.map(({id}) => id)};
}"""


@dataclass(frozen=True, slots=True)
class Looked:
    """Each barrier as rule, start of the element and selectors; and the rules that the page passes."""

    barriers: list[Any]
    passed: frozenset[str]

    @property
    def rules(self) -> set[str]:
        """Return the rules that the page breaks."""
        return {rule for rule, _, _ in self.barriers}


def look(page: Page, axe: str) -> Looked:
    """Run axe, whose script is `axe`, on the page as it is. The browser's own evaluation is not subject to a policy."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    outcome = page.evaluate(RUN, RULES)
    return Looked(outcome["barriers"], frozenset(outcome["passed"]))
