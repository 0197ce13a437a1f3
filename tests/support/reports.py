"""Reports in every state that the page knows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from abtest.contract import report as contract
from abtest.contract import trust
from abtest.contract.results import GuardrailFinding
from abtest.services.results.worth import worth_of
from tests.support.report_facts import at, draft, entry, ident, verdict
from tests.support.report_shop import Shop

HOSTILE = '</script><img src=x onerror="document.title=1">'
HOSTILE_SVG = '"><svg onload="document.title=1"></svg></title></desc>'
HOSTILE_STYLE = "</style><style>*{display:none}</style><!-- "
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
ARABIC = "عنوان الصفحة الرئيسية \u202eمع عرض الشحن المجاني"
HEBREW = "כותרת קצרה יותר"


def empty() -> contract.Report:
    """A draft that never ran."""
    return draft(["Control", "Short headline"], verdict="not_started", sentence="This experiment has not started yet")


def little() -> contract.Report:
    """The first hours."""
    goals = [{"name": "Purchase", "base": 0.031, "lifts": [0, 0.06]}]
    return Shop(["Control", "Short headline"], days=1, daily=640, plan=62_000).report(
        goals, verdict=verdict("too_early", "Too early to say: 9 of 25 conversions in Control"), generation=14
    )


def undecided() -> contract.Report:
    """In its third week, with three goals."""
    goals = [
        {"name": "Purchase", "base": 0.031, "lifts": [0, 0.035]},
        {"name": "Revenue", "base": 0.031, "lifts": [0, 0.05], "money": 74.0},
        {"name": "Size guide opened", "base": 0.21, "lifts": [0, 0.09]},
        {"name": "Order returned", "base": 0.012, "lifts": [0, -0.04], "direction": "decrease", "role": "guardrail"},
    ]
    return Shop(["Control", "Short headline"], days=18, daily=2150, plan=64_000).report(
        goals,
        verdict=verdict(
            "undecided",
            "No decision yet: about 12 more days",
            "“Short headline”: no significant difference so far",
            days=12,
        ),
    )


def winner() -> contract.Report:
    """Paused by auto-stop with a winner; four weeks, three arms."""
    goals = [
        {"name": "Purchase", "base": 0.034, "lifts": [0, 0.182, 0.02]},
        {"name": "Revenue", "base": 0.034, "lifts": [0, 0.19, 0.01], "money": 81.5},
        {"name": "Added to cart", "base": 0.118, "lifts": [0, 0.09, -0.01]},
    ]
    shop = Shop(
        ["Control", "Variant B: reviews above the fold", "Variant C: reviews in a tab"],
        days=28,
        daily=3900,
        plan=96_000,
    )
    found = shop.report(
        goals,
        verdict=verdict(
            "winner",
            "“Variant B: reviews above the fold” wins: Purchase rises by 18.4% (between +6.4% and +30.4%)",
            "“Variant C: reviews in a tab” shows no difference",
            "The planned sample is reached, and visitors are split as planned",
            variation=1,
        ),
        experiment={
            "status": "completed",
            "ended_at": at(28),
            "outcome": "won",
            "winning_variation_id": ident(1, 1),
            "learning": "Reviews sell when they are seen without scrolling. Next: reviews on category pages.",
            "name": "Product page: where reviews stand",
        },
    )
    story = [
        *found.timeline,
        entry(9.3, "changed", "Edited: description."),
        entry(27.4, "paused", "Paused by auto-stop: “Variant B: reviews above the fold” won.", "auto_stop"),
        entry(28, "completed", "Completed as won, winner “Variant B: reviews above the fold”."),
        entry(28.1, "shipped", "“Variant B: reviews above the fold” was shipped to all visitors as a personalization."),
    ]
    return found.model_copy(update={"timeline": story})


def harmed() -> contract.Report:
    """Paused by Guardian."""
    goals = [
        {"name": "Purchase", "base": 0.036, "lifts": [0, -0.31]},
        {"name": "Checkout begun", "base": 0.088, "lifts": [0, -0.24]},
    ]
    finding = trust.HealthFinding(
        kind="conversion_harm",
        severity="critical",
        message="Purchase in “One-page checkout” is 29% below the control",
        action="pause",
        detected_at=at(4.1),
        variation_id=ident(1, 1),
        goal_id=ident(2, 0),
    )
    found = Shop(["Control", "One-page checkout"], days=4, daily=5200, plan=64_000).report(
        goals,
        verdict=verdict(
            "stopped_for_harm",
            "Guardian stopped this test: “One-page checkout” costs orders",
            "Purchase falls by 29.0% (between −48.5% and −9.5%)",
            variation=1,
        ),
        health=[finding],
        experiment={"status": "paused", "name": "Checkout on one page"},
    )
    pause = entry(4.1, "paused", "Paused by Guardian. Purchase in “One-page checkout” is far below.", "guardian")
    return found.model_copy(update={"timeline": [*found.timeline, pause]})


def inconclusive() -> contract.Report:
    """At the planned end without a difference."""
    goals = [{"name": "Purchase", "base": 0.031, "lifts": [0, 0.004]}]
    return Shop(["Control", "Green button"], days=30, daily=2200, plan=64_000).report(
        goals,
        verdict=verdict(
            "no_winner",
            "No winner: the planned sample is reached, and no difference of 8% or more was found",
            "If there is a difference at all, it is between −12.0% and +13.4%",
        ),
        experiment={"status": "paused", "name": "Colour of the button"},
    )


def foreign() -> contract.Report:
    """Revenue decides, and part of it came in other currencies."""
    goals = [
        {"name": "Revenue", "base": 0.029, "lifts": [0, 0.07, 0.01], "money": 92.4},
        {"name": "Purchase", "base": 0.029, "lifts": [0, 0.05, 0.02]},
    ]
    ids = [ident(1, number) for number in range(3)]

    def amount(kind: Any, currency: str | None, orders: Sequence[int], value: float) -> Any:
        return contract.AmountSetAside(
            goal_id=ident(2, 0),
            goal_name="Revenue",
            kind=kind,
            currency=currency,
            orders=sum(orders),
            amount=value,
            by_variation=dict(zip(ids, orders, strict=True)),
        )

    facts = Shop(["Control", "Free shipping from 50", "Free shipping from 80"], days=15, daily=2600).report(
        goals,
        verdict=verdict("undecided", "No decision yet, and nobody planned how long to wait", days=None),
        money_set_aside=contract.MoneySetAside(
            currency="EUR",
            share_of_orders=0.043,
            amounts=[
                amount("foreign", "USD", [14, 11, 12], 3120.45),
                amount("foreign", "JPY", [3, 2, 1], 84_200),
                amount("unknown", None, [2, 0, 1], 251.9),
            ],
            message="46 orders are in other currencies than EUR or in none that was told, and are in no sum",
        ),
        health=[
            trust.HealthFinding(
                kind="currency_residue",
                severity="warning",
                message="4.3% of the orders are in other currencies: revenue is not judged until that is below 2%",
                action="alert",
                detected_at=at(11.4),
                variation_id=None,
                goal_id=ident(2, 0),
            )
        ],
        multiple_exposure=12,
    )
    worth = worth_of(facts.goals[0], None, "EUR", "excluded_currency_residue")
    return facts.model_copy(update={"worth": worth})


def crowded() -> contract.Report:
    """Ten variations, twenty goals."""
    names = ["Control", *(f"Recommendation list {number}" for number in range(1, 10))]
    goals = [
        {
            "name": f"Goal {number + 1}: {'revenue' if number == 1 else 'step'} of the funnel",
            "base": 0.02 + 0.012 * number,
            "lifts": [0, *(0.09 * math.sin(3 * number + 2 * arm) for arm in range(1, 10))],
            **({"money": 63.0} if number == 1 else {}),
        }
        for number in range(20)
    ]
    return Shop(names, days=24, daily=21_000, plan=700_000).report(
        goals, verdict=verdict("undecided", "No decision yet: about 10 more days", days=10)
    )


def mismatched() -> contract.Report:
    """The split is off."""
    goals = [{"name": "Purchase", "base": 0.031, "lifts": [0, 0.22]}]
    shop = Shop(["Control", "Redirect to the new page"], days=9, daily=3000, plan=64_000)
    observed = {ident(1, 0): 14_120, ident(1, 1): 12_880}
    finding = trust.HealthFinding(
        kind="sample_ratio_mismatch",
        severity="critical",
        message="visitors are not split as the weights say; do not trust the comparison before you know why",
        action="alert",
        detected_at=at(1.2),
        variation_id=None,
        goal_id=None,
    )
    return shop.report(
        goals,
        verdict=verdict(
            "not_trusted",
            "Do not decide by these numbers: visitors are not split as planned",
            "Whoever is missing from “Redirect to the new page” may be the reason of the difference",
        ),
        srm=trust.SampleRatio(
            p_value=4e-14,
            status="mismatch",
            expected=dict.fromkeys(observed, 13_500.0),
            observed=observed,
            sequential_p_value=1e-12,
        ),
        health=[finding],
        coverage=trust.Coverage(mixed_populations=True, reasons=["consent_gated_sdk"]),
        experiment={"name": "New landing page"},
    )


def hostile() -> contract.Report:
    """Names that would be markup, that never end, that run from right to left."""
    names = [HOSTILE, HOSTILE_SVG, LONG, ARABIC]
    goals = [
        {"name": HOSTILE_STYLE, "base": 0.03, "lifts": [0, 0.05, 0.2, -0.3]},
        {"name": LONG, "base": 0.03, "lifts": [0, 0.05, 0.2, -0.3], "money": 1_234_567.0},
        {"name": HEBREW, "base": 0.03, "lifts": [0, 0.05, 0.2, -0.3]},
    ]
    found = Shop(names, days=12, daily=3000, plan=64_000).report(
        goals,
        verdict=verdict("undecided", f"No decision yet: {HOSTILE} against {ARABIC}", HOSTILE_STYLE, LONG),
        experiment={"name": f"{ARABIC} {HOSTILE}", "description": f"{HOSTILE_STYLE}\n{LONG}", "learning": HOSTILE},
        segment_note=HOSTILE,
        health=[
            trust.HealthFinding(
                kind="event_gap",
                severity="notice",
                message=f"nothing since yesterday \x00\ud800 {HOSTILE_SVG}",
                action=None,
                detected_at=None,
                variation_id=None,
                goal_id=None,
            )
        ],
    )
    return found.model_copy(update={"timeline": [entry(1, "paused", f"Paused: {HOSTILE} {LONG}")]})


def early() -> contract.Report:
    """A winner after a day and a half, whose lift is too good to be true."""
    goals = [
        {"name": "Revenue", "base": 0.03, "lifts": [0, 0.62], "money": 88.0},
        {"name": "Purchase", "base": 0.03, "lifts": [0, 0.58]},
    ]
    return Shop(["Control", "Countdown above the basket"], days=1, daily=31_000, plan=190_000).report(
        goals,
        verdict=verdict(
            "winner",
            "“Countdown above the basket” is better: Revenue rises by 62.0% (between +21.4% and +102.6%)",
            variation=1,
        ),
        experiment={"name": "Basket: how long an offer lasts"},
    )


def guarded() -> contract.Report:
    """Better in the primary goal, and harmful in a guardrail; three treatments."""
    goals = [
        {"name": "Added to cart", "base": 0.11, "lifts": [0, 0.09, 0.02, -0.01]},
        {"name": "Order returned", "base": 0.02, "lifts": [0, 0.4, 0.02, 0.01], "direction": "decrease"},
        {"name": "Revenue", "base": 0.031, "lifts": [0, -0.02, 0.01, 0.0], "money": 64.0},
    ]
    names = ["Control", "Sizes run large", "Sizes run small", "No sizes"]

    def shown(goal: int, arm: int, status: Any, p: float | None, lift: float | None, message: str) -> GuardrailFinding:
        return GuardrailFinding(
            goal_id=ident(2, goal),
            variation_id=ident(1, arm),
            status=status,
            p_value=p,
            difference=None,
            lift=lift,
            message=message,
        )

    harm = "“Sizes run large” harms “Order returned” (+40.0%, p = 0.002)."
    return Shop(names, days=21, daily=5200, plan=120_000).report(
        goals,
        verdict=verdict("harm", f"{harm} It is better in Added to cart, and no winner.", variation=1),
        guardrails=[
            shown(1, 1, "harmed", 0.002, 0.4, harm),
            shown(
                1, 2, "no_harm_shown", 0.9, 0.02, "No harm of “Order returned” is shown in “Sizes run small” so far."
            ),
            shown(1, 3, "no_harm_shown", 1.0, 0.01, "No harm of “Order returned” is shown in “No sizes” so far."),
            shown(2, 1, "no_harm_shown", 0.4, -0.02, "No harm of “Revenue” is shown in “Sizes run large” so far."),
            shown(
                2,
                2,
                "too_little_data",
                0.8,
                0.01,
                "There is too little data to say whether “Sizes run small” harms it.",
            ),
            shown(
                2,
                3,
                "excluded_currency_residue",
                None,
                None,
                "“Revenue” is not tested: too much is in other currencies.",
            ),
        ],
        experiment={"name": "Product page: how sizes are described"},
    )


STATES: Mapping[str, Callable[[], contract.Report]] = {
    "empty": empty,
    "little": little,
    "undecided": undecided,
    "winner": winner,
    "harmed": harmed,
    "inconclusive": inconclusive,
    "foreign": foreign,
    "crowded": crowded,
    "mismatched": mismatched,
    "hostile": hostile,
    "early": early,
    "guarded": guarded,
}
