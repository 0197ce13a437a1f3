"""Looks at experiments that are counted and do not run: paused or completed tests, personalizations. No decisions.

Their counts still change: events come late, attribution windows are open. Results show the smallest p of all looks, so
every count gets a look.
"""

from typing import Any

from abtest.domain.autostop.looks import is_new, is_newer, look_at
from abtest.domain.autostop.shapes import LookState
from abtest.domain.experiments.model import Experiment
from abtest.ports.rollup_store import Document
from abtest.services.autostop.evidence import evidence_of
from abtest.services.autostop.run import AutoStop
from abtest.services.results.shop_rules import ShopRules

NOTHING_RUNS: dict[str, Any] = {"mode": "off", "outcome": "waiting", "reason": "not_running"}


def look_without_decision(
    use: AutoStop, rules: ShopRules, experiment: Experiment, totals: Document | None, state: LookState | None
) -> bool:
    """Take a look at a new count, and return whether one was stored. `totals` and `state` are what is stored.

    Of two workers at once one look is stored; both compute the same, so it needs no lease.
    """
    if totals is None or not is_newer(totals, state):
        return False
    evidence = evidence_of(use.reader, rules, experiment, totals)
    if evidence is None or not is_new(state, evidence):
        return False
    # The write is conditional on the state that was read: of two looks one is stored.
    after, look = look_at(state, evidence, use.store.world.now())
    return use.looks.put(after, {**look, "verdict": NOTHING_RUNS})
