"""Random designs of experiments with every kind of content, as bodies of the API, and shops to have them in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from abtest.adapters.scripts import QuickJsChecker
from abtest.contract.experiments import ExperimentCreate
from abtest.domain.experiments.model import Experiment
from abtest.domain.settings.shop import Shop
from abtest.kit.clock import ManualClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit
from abtest.services.context import Caller, World
from abtest.services.experiment_files.trees import ExperimentTrees
from abtest.services.experiments.editor import ExperimentEditor
from abtest.services.experiments.lifecycle import Lifecycle
from abtest.services.experiments.store import ExperimentStore
from abtest.services.goals import ShopGoals
from abtest.services.planning import Planner
from abtest.services.publication import PublicationOutcome
from abtest.services.publication.budget import CodeBudget
from abtest.services.republication import Republication
from abtest.services.reusable.targets import Audiences, Pages
from abtest.services.shop_records import puts_of
from abtest.services.storefronts import Storefronts
from tests.support.memory import MemoryBlobs, MemoryLeases, MemoryRollupStore, MemorySessions
from tests.support.memory.catalog import MemoryCatalog

Design = dict[str, Any]
SCOPES = frozenset({"experiments:read", "experiments:write", "experiments:launch"})
NOW = "2026-03-02T09:00:00.000Z"


class Prompt:
    """A publisher that always succeeds."""

    def publish(self, _shop_id: str) -> PublicationOutcome:
        return PublicationOutcome(ok=True, revision=1)


class DesignShop:
    """A shop with pages, audiences and goals to name; two of its pages have one name."""

    def __init__(self) -> None:
        self.catalog, self.clock = MemoryCatalog(), ManualClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
        world = World(catalog=self.catalog, clock=self.clock, random=SystemRandomness())
        self.world, self.id, self.user = world, world.new_id(), world.new_id()
        storefronts, checker = Storefronts(self.catalog, Prompt()), QuickJsChecker()
        self.store = ExperimentStore(world, storefronts, CodeBudget(MemoryBlobs()))
        self.editor, self.sessions = ExperimentEditor(self.store, checker), MemorySessions()
        self.trees = ExperimentTrees(store=self.store, editor=self.editor, checker=checker, sessions=self.sessions)
        republication = Republication(
            world=world, storefronts=storefronts, leases=MemoryLeases(), sessions=self.sessions
        )
        self.lifecycle = Lifecycle(self.store, Planner(world, MemoryRollupStore()), republication)
        shop = Shop(
            id=self.id,
            name="S",
            domain="s.example",
            currency="EUR",
            org_id=self.user,
            created_at=NOW,
            updated_at=NOW,
        )
        self.catalog.commit(Commit(puts=puts_of(shop)))
        self.caller = Caller(key_id="k", kind="shop", user_id=self.user, shop_id=self.id, scopes=SCOPES, request_id="r")
        rules = {"includeRules": [{"type": "simple", "pattern": "https://s.example/p/*"}], "excludeRules": []}
        pages = Pages(world, storefronts)
        self.pages = [
            pages.create(self.caller, {"name": name, **rules}).value.id for name in ("Products", "Cart", "Twin", "Twin")
        ]
        condition = {"attribute": "device", "operator": "equals", "value": "mobile"}
        audience = {"rules": {"operator": "and", "conditions": [condition]}}
        self.audiences = [
            Audiences(world, storefronts).create(self.caller, {"name": name, **audience}).value.id
            for name in ("Phones", "Guests")
        ]
        self.goals = [
            ShopGoals(world).create(self.caller, {"name": name, "type": "revenue", "role": "secondary"}).value.id
            for name in ("Revenue", "Margin")
        ]

    def create(self, design: Design) -> Experiment:
        """Create an experiment by the body of the API, with the shop's records in place of their numbers."""
        body = ExperimentCreate.model_validate(self._placed(design))
        return self.editor.create(self.caller, body.provided()).value

    def _placed(self, value: Any) -> Any:
        """Replace numbers of records of the shop by their ids."""
        if isinstance(value, list):
            return [self._placed(item) for item in value]
        if not isinstance(value, dict):
            return value
        records = {"pageId": self.pages, "audienceId": self.audiences, "goal_id": self.goals}
        return {name: records[name][item] if name in records else self._placed(item) for name, item in value.items()}


READABLE = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp", "Cf"))
NAMES = st.one_of(
    st.sampled_from(["Control", "Dated banner", "con", "variation", "日本", "A-b", "a b", "Ünïcode"]),
    st.text(READABLE, min_size=1, max_size=20).filter(lambda text: text.strip() != ""),
).filter(lambda text: any(character.isalnum() for character in text))
STYLES = st.one_of(st.none(), st.sampled_from(["", "\n", "a{}", "a{}\n", "a{}\r\n\n", "/* \u2028 é */ b {\n}\n"]))
SCRIPTS = st.one_of(
    st.none(), st.sampled_from(["", "\n", "window.a = 1;", "window.b = 'é';\n", "// a\r\nreturn;\n\n", "{}"])
)
SHARES = st.sampled_from([0, 0.1, 0.25, 1 / 3, 0.5, 0.999999, 1, 1.0])
TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
PATTERNS = st.sampled_from(["https://s.example/a", "https://s.example/b/*", "/c?x=1", "/d/*"])
URL_RULES: st.SearchStrategy[Any] = st.lists(
    st.fixed_dictionaries({"type": st.just("simple"), "pattern": PATTERNS}, optional={"include": st.booleans()}),
    min_size=1,
    max_size=2,
)
MUTATIONS: st.SearchStrategy[list[Any]] = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"selector": st.sampled_from(["h1", "#a"]), "action": st.sampled_from(["text", "setText"]), "text": TEXTS},
            optional={"description": TEXTS},
        ),
        st.fixed_dictionaries(
            {
                "selector": st.just("p > a"),
                "action": st.sampled_from(["html", "insertBefore", "insertAfter"]),
                "html": TEXTS,
            }
        ),
        st.fixed_dictionaries(
            {
                "selector": st.just("p"),
                "action": st.sampled_from(["style", "setStyle"]),
                "styles": st.dictionaries(st.sampled_from(["color", "margin", "id", "value"]), TEXTS, max_size=3),
            }
        ),
        st.fixed_dictionaries(
            {
                "selector": st.just("a"),
                "action": st.just("attribute"),
                "attributes": st.dictionaries(st.sampled_from(["href", "id"]), st.none() | TEXTS, max_size=2),
            }
        ),
        st.just({"selector": "img", "action": "remove"}),
    ),
    max_size=4,
)
BLOCKS: st.SearchStrategy[Any] = st.none() | st.lists(
    st.fixed_dictionaries(
        {
            "id": st.one_of(st.sampled_from(["b1", "b-1", "B 1", "b 1", "nul", "日"]), NAMES),
            "name": NAMES,
            "urlRules": URL_RULES,
            "mutations": MUTATIONS,
        },
        optional={"css": STYLES.filter(bool), "js": SCRIPTS.filter(bool)},
    ),
    max_size=3,
)


def ids() -> st.SearchStrategy[str]:
    """UUIDs that the caller chooses."""
    return st.uuids(version=4).map(str)


TRIGGERS: st.SearchStrategy[Any] = st.sampled_from(
    [{"type": "dom_ready"}, {"type": "element", "selector": "#x"}, {"type": "event", "eventName": "open"}]
)
OWN_PAGES: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"id": ids(), "includeRules": URL_RULES, "excludeRules": st.just([])},
    optional={
        "name": st.sampled_from(["", "Here", "There", "Here too"]),
        "include": st.booleans(),
        "disabled": st.booleans(),
        "trigger": TRIGGERS,
        "page": st.just("a property of the shop's own"),
        "advancedCondition": st.just({"$and": [{"page.path": {"$eq": "/a"}}]}) | st.none(),
    },
)
NAMED_PAGES: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"id": ids(), "pageId": st.integers(0, 3)},
    optional={"name": st.sampled_from(["Here", "By name"]), "include": st.booleans(), "color": st.just("red")},
)
AUDIENCES: st.SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries({"id": ids(), "audienceId": st.integers(0, 1)}, optional={"include": st.booleans()}),
    st.fixed_dictionaries(
        {
            "id": ids(),
            "rules": st.just(
                {"operator": "or", "conditions": [{"attribute": "visits", "operator": "gt", "value": 2.5}]}
            ),
        },
        optional={"name": st.sampled_from(["Loyal", "New"])},
    ),
)
TARGETINGS: st.SearchStrategy[Any] = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "pageMatchMode": st.sampled_from(["any", "all"]),
        "pageRules": st.lists(st.one_of(OWN_PAGES, NAMED_PAGES), max_size=3),
        "segmentMatchMode": st.sampled_from(["any", "all"]),
        "segmentRules": st.lists(AUDIENCES, max_size=2),
        "identity": st.sampled_from(["customer", None]),
        "note": st.just({"kept": [1, 2.0, True, None]}),
    },
)
GOAL_RULES: st.SearchStrategy[list[Any]] = st.lists(
    st.fixed_dictionaries(
        {"id": ids(), "includeRules": URL_RULES, "excludeRules": st.just([])},
        optional={"name": st.sampled_from(["Cart", "Thanks", "Thanks"]), "trigger": TRIGGERS},
    ),
    max_size=3,
)
FILTERS: st.SearchStrategy[Any] = st.sampled_from(
    [
        {"version": 1, "conditions": [{"property": "plan", "operator": "in", "value": ["a", 1, 2.5]}]},
        {"version": 1, "orderValue": [{"operator": "gte", "value": 20}]},
        {
            "version": 1,
            "lineItems": {"match": "any", "conditions": [{"property": "sku", "operator": "equals", "value": "x"}]},
        },
    ]
)
OWN_GOALS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"name": NAMES, "type": st.just("revenue")},
    optional={
        "role": st.sampled_from(["secondary", "guardrail"]),
        "direction": st.sampled_from(["increase", "decrease"]),
        "url_pattern": st.just("https://s.example/*"),
        "count_once": st.booleans(),
        "aggregation": st.sampled_from(["conversion", "count", "sum", "mean"]),
        "winsorize_pct": st.sampled_from([None, 0, 0.05]),
        "attribution_window_days": st.integers(1, 90),
        "filter": FILTERS,
    },
)
RATIOS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {
        "name": NAMES,
        "type": st.just("revenue"),
        "aggregation": st.just("ratio"),
        "numerator": st.sampled_from(["value", "items"]),
        "denominator": st.just("events"),
    }
)
CLICKS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"name": NAMES, "type": st.just("click"), "selector": st.just("#buy")},
    optional={
        "text_match": st.just("Buy"),
        "capture": st.just([{"property": "sku", "source": "dataset", "attribute": "sku"}]),
        "is_primary": st.just(False),
    },
)


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """Body of a new experiment that the API accepts."""
    is_redirect = draw(st.booleans())
    arms = draw(st.lists(arm(is_redirect), min_size=2, max_size=4))
    arms[draw(st.integers(0, len(arms) - 1))]["is_control"] = True
    rules = draw(GOAL_RULES)
    goals = draw(st.lists(st.one_of(OWN_GOALS, CLICKS, RATIOS), max_size=3))
    for goal in goals:
        is_scoped = draw(st.booleans())
        if rules and is_scoped:
            goal["page_id"] = draw(st.sampled_from([rule["id"] for rule in rules]))
    shops = draw(st.lists(st.integers(0, 1), unique=True, max_size=2))
    fields = draw(
        st.fixed_dictionaries(
            {"name": NAMES},
            optional={
                "slug": st.just("a-slug"),
                "description": st.none() | TEXTS,
                "owner_user_id": st.none() | ids(),
                "counting_type": st.sampled_from(["standard", "aa_test"]),
                "traffic_allocation": SHARES,
                "experiment_js": SCRIPTS,
                "experiment_reset_js": SCRIPTS,
                "experiment_css": STYLES,
                "sequential_testing_enabled": st.booleans(),
                "results_weekdays": st.just({"days": ["monday", "friday"], "timezone": "Europe/Berlin"}),
                "auto_stop_override": st.just({"mode": "off", "min_runtime_minutes": 60}),
                "guardian_override": st.just({"enabled": None, "delivery_drift": {"missRateThreshold": 0.5}}),
                "store_url": st.just("https://s.example/"),
                "scheduled_start_at": st.just("2026-04-01T09:00:00.000Z"),
                "targeting": TARGETINGS,
            },
        )
    )
    delivery = {"delivery_type": "redirect"} if is_redirect else {}
    attached = [{"goal_id": index, "role": draw(st.sampled_from(["secondary", "guardrail"]))} for index in shops]
    return {**fields, **delivery, "variations": arms, "goals": [*goals, *attached], "goalPageRules": rules}


@st.composite
def arm(draw: st.DrawFn, is_redirect: bool) -> Design:
    """Body of a variation."""
    redirect = {"redirect_url": "https://other.example/other"} if is_redirect and draw(st.booleans()) else {}
    rest = st.fixed_dictionaries(
        {"name": NAMES, "weight": SHARES, "is_control": st.just(False)},
        optional={"mutations": MUTATIONS, "url_blocks": BLOCKS, "custom_css": STYLES, "custom_js": SCRIPTS},
    )
    return {**draw(rest), **redirect}
