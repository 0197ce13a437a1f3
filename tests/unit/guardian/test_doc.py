"""docs/guardian.md says what the code does."""

import re
from pathlib import Path

from abtest.contract.overrides import DeliveryDrift, GuardianOverride, RevenueLoss
from abtest.domain.guardian.data_quality import SPLIT_CHANGE_LEVEL
from abtest.domain.guardian.harm import (
    BROKEN_CHANGE_LEVEL,
    CONVERSION_HARM_LEVEL,
    HARM_CHANGE_LEVEL,
    HARM_LEVEL,
    MONEY_CHANGE_LEVEL,
)
from abtest.domain.guardian.kinds import KINDS
from abtest.domain.guardian.settings import OURS
from abtest.services.guardian.evidence import DAYS_BACK

DOC = Path(__file__).parents[3] / "docs" / "guardian.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in DOC.read_text().splitlines()
    if line.startswith("| `")
]


def test_doc__lists_every_kind_in_order_with_what_pauses_it() -> None:
    told = {row[0].strip("`"): row[2] for row in ROWS if row[0].strip("`") in KINDS}
    assert list(told) == list(KINDS)
    setting = {
        "pause_on_broken": "`pause_on_broken`",
        "pause_on_harm": "`pause_on_harm`",
        "should_pause": "shouldPause`",
    }
    for kind, row in KINDS.items():
        assert (setting[row.pauses_by] in told[kind]) if row.pauses_by else told[kind].startswith("alert"), kind
        assert ("blocked" in told[kind]) is row.blocks_revenue, kind


def test_doc__names_every_setting() -> None:
    text = DOC.read_text()
    names = [*GuardianOverride.model_fields, *DeliveryDrift.model_fields, *RevenueLoss.model_fields]
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


def test_doc__tells_the_level_that_every_goal_has_of_its_own() -> None:
    text = " ".join(DOC.read_text().split())
    levels = f"`conversion_harm` has {100 * CONVERSION_HARM_LEVEL:g} % and `revenue_harm` {100 * HARM_LEVEL:g} %"
    assert f"{levels} for each watched goal" in text
    assert f"at most {100 * HARM_LEVEL:g} % of `revenue_harm` with one goal, {300 * HARM_LEVEL:g} % with three" in text


def test_doc__has_the_levels_and_the_window_of_changes() -> None:
    text = " ".join(DOC.read_text().split())
    levels = BROKEN_CHANGE_LEVEL, HARM_CHANGE_LEVEL, MONEY_CHANGE_LEVEL, SPLIT_CHANGE_LEVEL
    assert (
        "{:g} % of `broken_conversion`, {:g} % of `conversion_harm`, {:g} % of `revenue_harm`, {:g} % of".format(
            *(100 * level for level in levels)
        )
        in text
    )
    assert f"the last {DAYS_BACK} days" in text


def test_doc__tells_our_defaults_of_drift() -> None:
    drift = OURS["delivery_drift"]
    told = f"{drift['missRateThreshold']:.2f}, {drift['minSamples']}, {drift['consecutiveChecks']}"
    assert any(row[-1] == told for row in ROWS)
