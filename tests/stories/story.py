"""The calendar: what is launched when, rounds of all schedules, closer where something is about to happen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from abtest.kit.clock import from_milliseconds, parse_milliseconds, timestamp
from abtest.ports.catalog import OutboxRow
from tests.faults.shop import moved
from tests.stories.book import Book
from tests.stories.case import Case
from tests.stories.oracle import Oracle
from tests.stories.planned_looks import STEPS, Looks, planned_information
from tests.stories.shop import Cron, Shop
from tests.stories.shoppers import HOUR, Effect, Running, Shoppers

DAY = 24 * HOUR
CALLS_OF_A_DECISION = 6
"""About so many more calls of ports a firing makes that pauses and tells, than one that does not."""


@dataclass(frozen=True, kw_only=True)
class Role:
    """An experiment of the story: from the launch on its `effect`. `plan` is stated before that, if any.

    Launched by hand on the first day, by the schedule on any other. `counts_money`: a second goal is revenue.
    `is_broken`: what is wrong is found within hours, so every hour counts. `turns`: by hours since the launch the
    effect from then on; what breaks does so at the first of them.
    """

    name: str
    day: int
    effect: Effect
    mode: str = "sequential_significance"
    counts_money: bool = False
    is_broken: bool = False
    is_completed: bool = False
    turns: Mapping[int, Effect] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    plan: Mapping[str, Any] | None = None
    on_harm: str = "pause"

    @property
    def sound(self) -> int:
        """Time between its launch and its first turn, in ms."""
        return min(self.turns, default=0) * HOUR


NOTHING = Role(name="Nothing", day=0, effect=Effect(), is_completed=True, fields={"counting_type": "aa_test"})
BETTER = Role(
    name="Better",
    day=0,
    effect=Effect(reaches=(0.10, 0.15)),
    plan={"baseline_rate": 0.1, "mde": 0.4},
)
WORSE = Role(name="Worse", day=6, effect=Effect(reaches=(0.20, 0.12)))
POORER = Role(
    name="Poorer",
    day=14,
    effect=Effect(spends=(1.0, 0.6)),
    mode="off",
    counts_money=True,
    fields={"guardian_override": {"pause_on_harm": False}},
)
SILENT = Role(name="Silent", day=24, effect=Effect(reaches=(0.5, 0.0)), is_broken=True)
MONTH = (NOTHING, BETTER, WORSE, POORER, SILENT)

CHEAPER = Role(name="Cheaper", day=0, effect=Effect(spends=(1.0, 0.4)), counts_money=True, on_harm="continue")
TEMPTING = Role(
    name="Tempting",
    day=0,
    effect=Effect(reaches=(0.2, 0.3), spends=(1.0, 0.4)),
    counts_money=True,
    fields={"guardian_override": {"pause_on_harm": False}},
)
UNDELIVERED = Role(name="Undelivered", day=1, effect=Effect(is_shown=(1.0, 0.0)), is_broken=True)
FAILING = Role(name="Failing", day=2, effect=Effect(fails=(0.002, 0.5)), is_broken=True)
FADING = Role(
    name="Fading",
    day=0,
    effect=Effect(reaches=(0.5, 0.5)),
    turns={48: Effect(reaches=(0.5, 0.0))},
    is_broken=True,
)
MENDED = Role(
    name="Mended",
    day=0,
    effect=Effect(reaches=(0.8, 0.8)),
    turns={24: Effect(reaches=(0.8, 0.0)), 28: Effect(reaches=(0.8, 0.8))},
    is_broken=True,
    fields={"guardian_override": {"pause_on_broken": False, "pause_on_harm": False}},
)
PLANNED = Role(
    name="Planned",
    day=0,
    effect=Effect(),
    mode="fixed_horizon_planned_end",
    plan={"baseline_rate": 0.2, "mde": 0.4},
)
LOOKED_AT = Role(
    name="Looked at",
    day=0,
    effect=Effect(reaches=(0.10, 0.17)),
    mode="group_sequential",
    plan={"baseline_rate": 0.1, "mde": 0.4},
)
TO_THE_END = Role(
    name="To the end", day=0, effect=Effect(), mode="group_sequential", plan={"baseline_rate": 0.2, "mde": 0.4}
)
LOOKS = (LOOKED_AT, TO_THE_END)
BAD_DAYS = (PLANNED, CHEAPER, TEMPTING, UNDELIVERED, FAILING, FADING, MENDED)


class Story:
    """A cast through so many days. `without`: schedules that are switched off."""

    def __init__(
        self, seed: int, *, days: int, cast: Sequence[Role], shoppers_a_day: int, without: frozenset[str] = frozenset()
    ) -> None:
        self.shop, self.oracle = Shop(seed), Oracle()
        self.rounds: list[tuple[int, int]] = []
        """When each began and ended, in Unix ms."""
        self.experiments: dict[str, dict[str, Any]] = {}
        """By name, as the API made them."""
        self._shoppers, self._chance = Shoppers(seed, shoppers_a_day), Random(seed)
        self._days, self._cast, self._without = days, cast, without
        self._costly_deaths = self._chance.sample(range(1, days + 1), 2)
        """Rounds in which the process that counts dies: another one begins with the whole ledger."""
        self._begins = self.shop.now

    # ------------------------------------------------------------ the whole

    def run(self) -> Story:
        """All of it."""
        self._begins = self.shop.now
        for role in self._cast:
            self._make(role)
        self._launch_by_hand()
        ends, before = self._begins + self._days * DAY, self._begins
        while before < ends:
            at = min(before + self._step(before), ends, *self._turns_after(before))
            self._round(before, at)
            before = at
        self._complete()
        return self

    @property
    def told(self) -> list[OutboxRow]:
        """Webhook events as they wait to be sent."""
        return list(self.shop.management.catalog.outbox("webhook", created_before="9999", limit=1000))

    @property
    def repeated(self) -> int:
        """How many events were sent more than once."""
        return self._shoppers.repeated

    @property
    def scheduled(self) -> frozenset[str]:
        """Names of experiments that nobody launched by hand."""
        return frozenset(role.name for role in self._cast if role.day)

    def status(self, experiment: str) -> str:
        """As stored."""
        found: str = self.read(f"/experiments/{experiment}")["status"]
        return found

    def read(self, path: str, **query: Any) -> Any:
        """What the API answers to the shop's admin."""
        answer = self.shop.client.get(path, query=query)
        assert answer.status == 200, answer.body
        return answer.json()

    # ------------------------------------------------------------ launches

    def _make(self, role: Role) -> None:
        goals: list[dict[str, Any]] = [{"name": "Reached", "type": "click", "selector": "#it", "is_primary": True}]
        if role.counts_money:
            goals.append({"name": "Revenue", "type": "revenue"})
        body = {
            "name": role.name,
            "goals": goals,
            "auto_stop_override": {"mode": role.mode, "action_on_harm": role.on_harm},
            **role.fields,
        }
        made = self.shop.client.post("/experiments", body)
        assert made.status == 201, made.body
        self.experiments[role.name] = made.json()
        if role.plan is not None:
            wish = {"goal_id": made.json()["goals"][0]["id"], **role.plan}
            assert self.shop.client.put(f"/experiments/{made.json()['id']}/plan", wish).status == 200
        if role.day:
            moment = timestamp(from_milliseconds(self._begins + role.day * DAY))
            answer = self.shop.client.put(f"/experiments/{made.json()['id']}/schedule", {"start_at": moment})
            assert answer.status == 200, answer.body

    def _launch_by_hand(self) -> None:
        for role in self._cast:
            if not role.day:
                path = f"/experiments/{self.experiments[role.name]['id']}/launch"
                answer = self.shop.client.post(path, {"override_checklist_warnings": True})
                assert answer.status == 200, answer.body
                self._begin(role)
                self.shop.clock.advance(seconds=1)

    def _begin(self, role: Role) -> None:
        """From when on it is under way."""
        found = self.experiments[role.name]
        if found["id"] not in self.oracle.cases and self.shop.now >= self._begins + role.day * DAY:
            found = self.experiments[role.name] = self.read(f"/experiments/{found['id']}")
            assert found["status"] == "running"
            self.oracle.begin(_case(role, found), len(self.rounds))

    def _turns_after(self, moment: int) -> list[int]:
        """When experiments are launched or break."""
        moments = [self._begins + role.day * DAY + sound for role in self._cast for sound in (0, role.sound)]
        return [each for each in moments if each > moment]

    def _complete(self) -> None:
        self.shop.clock.advance(minutes=1)
        began = self.shop.now
        for role in self._cast:
            if role.is_completed:
                experiment = self.experiments[role.name]["id"]
                assert self.shop.client.post(f"/experiments/{experiment}/complete").status == 200
                self.oracle.complete(experiment, len(self.rounds))
        self.rounds.append((began, self.shop.now + 1))

    # ------------------------------------------------------------ rounds

    def _step(self, before: int) -> int:
        if any(self._is_broken(role, before) for role in self._cast):
            return HOUR
        return 6 * HOUR if self.oracle.is_near else DAY

    def _is_broken(self, role: Role, moment: int) -> bool:
        """Return whether it has broken, and was neither paused nor mended, and that noticed."""
        case = self.oracle.cases.get(self.experiments[role.name]["id"])
        if not role.is_broken or case is None or moment < self._begins + role.day * DAY + role.sound:
            return False
        return case.status == "running" and not (case.reported and not case.lasting)

    def _round(self, before: int, at: int) -> None:
        """All that was sent since the last round comes in, and every schedule fires twice."""
        shop, oracle = self.shop, self.oracle
        moved(shop.clock, at)
        began = shop.now
        events = self._shoppers.sent(before, at, self._running())
        shop.send(events)
        oracle.note(events)
        self._fire(shop.launch)
        for role in self._cast:
            self._begin(role)
        known = len(oracle.foretold)
        oracle.look(len(self.rounds), began)
        is_decisive = len(oracle.foretold) > known
        for cron in (shop.rollup, shop.autostop, shop.guardian, shop.compact):
            if cron is not shop.compact or len(self.rounds) % 4 == 0:
                self._fire(cron, is_decisive=is_decisive)
        shop.repeat_promises()
        shop.clock.advance(seconds=1)
        self.rounds.append((began, shop.now))

    def _fire(self, cron: Cron, *, is_decisive: bool = False) -> None:
        """Every fourth time the first firing dies, and whenever something is to be told."""
        if cron.name not in self._without:
            is_costly = cron is self.shop.rollup
            chance = 1.0 if is_decisive else 0.25
            dies = len(self.rounds) in self._costly_deaths if is_costly else self._chance.random() < chance
            cron.fire_twice(dies=dies, more_calls=CALLS_OF_A_DECISION if is_decisive else 0)
            self.shop.clock.advance(seconds=10)

    def _running(self) -> list[Running]:
        """What shoppers meet: what storefronts have."""
        delivered = self.shop.delivered() if self.oracle.cases else set()
        return [
            Running(
                experiment=case.book.experiment,
                arms=case.book.variations,
                goal=case.book.goal,
                begins=case.book.begins,
                effect=role.effect,
                turns=[(case.book.begins + hours * HOUR, effect) for hours, effect in sorted(role.turns.items())],
            )
            for role in self._cast
            if (case := self.oracle.cases.get(self.experiments[role.name]["id"])) and case.book.experiment in delivered
        ]


def _case(role: Role, found: Mapping[str, Any]) -> Case:
    control = next(each["id"] for each in found["variations"] if each["is_control"])
    (treatment,) = (each["id"] for each in found["variations"] if not each["is_control"])
    goals = {goal["name"]: goal["id"] for goal in found["goals"]}
    plan = found["planned_test"]
    begins = parse_milliseconds(found["started_at"])
    pauses = {"pause_on_broken": True, "pause_on_harm": True, **role.fields.get("guardian_override", {})}
    return Case(
        name=role.name,
        book=Book(found["id"], (control, treatment), goals["Reached"], begins),
        revenue=goals.get("Revenue"),
        tau=plan["baseline_rate"] * plan["mde"] if plan and plan["goal_id"] == goals["Reached"] else None,
        alpha=plan["alpha"] if plan else 0.05,
        stops=role.mode == "sequential_significance",
        planned_visitors=plan["required_total_visitors"] if role.mode == "fixed_horizon_planned_end" else None,
        looks=Looks(
            visitors=plan["required_total_visitors"],
            information=planned_information(plan),
            alpha=plan["alpha"],
            steps=plan.get("looks") or STEPS,
        )
        if role.mode == "group_sequential"
        else None,
        pauses=pauses,
        is_harm_borne=role.on_harm == "continue",
    )
