"""Plan and application of an edit to the largest experiment as files, next to parsing the same request as JSON.

2 MB of code in ten variations, half of it scripts. Each request carries the whole tree, as a client does that pushes a
folder. Once one line of a style differs, once one line of a script of 100 KB, whose grammar is then checked. The
handler runs in this process against the local engine: authentication, rate limit, parsing, reading the stored
experiment, all rules, and for the application the commit and its audit row.
"""

import json
import statistics
import time
from base64 import b64decode
from typing import Any

from benchmarks.bench_edge import Context
from benchmarks.bench_management import our_handler
from benchmarks.harness import line, milliseconds, peak_megabytes
from benchmarks.local_engine import local_engine
from benchmarks.world import gateway_event
from tests.support.template import Stack
from tools.local.provision.clients import Clients

ROUNDS = 15
ARMS = 10
CODE = 100_000


def script(size: int) -> str:
    """A script of this many characters, with one statement a line."""
    return "".join(f"window.value{number} = {number};\n" for number in range(size // 30))[: size - 30] + "\n//"


def style(size: int) -> str:
    """A style sheet of this many characters, with one rule a line."""
    return "".join(f".part-{number} {{ color: #123456; }}\n" for number in range(size // 36))[:size]


def largest() -> dict[str, Any]:
    """Body of an experiment with nearly all the code that one may have."""
    code = {"custom_js": script(CODE), "custom_css": style(CODE)}
    arms = [{"name": f"Variant {number}", **code} for number in range(ARMS)]
    return {"name": "Largest", "variations": arms, "goals": [{"name": "Orders", "type": "revenue"}]}


class Api:
    """Calls of the handler by one key."""

    def __init__(self, handler: Any, key: str) -> None:
        self._handler = handler
        self._headers = {
            "authorization": f"Bearer {key}",
            "content-type": "application/json",
            "accept-encoding": "identity",
        }

    def __call__(self, method: str, path: str, body: str | None = None) -> tuple[float, dict[str, Any]]:
        """Return the seconds of a request in the handler, and the decoded response."""
        event = gateway_event(method, f"/api/v1{path}", headers=self._headers, body=body)
        started = time.perf_counter()
        answer = self._handler(event, Context())
        seconds = time.perf_counter() - started
        assert answer["statusCode"] in (200, 201), answer["body"][:2000]
        content = b64decode(answer["body"]) if answer["isBase64Encoded"] else answer["body"]
        return seconds, dict(json.loads(content))


def measure(clients: Clients, endpoint: str) -> None:
    """Create a shop and its largest experiment, then plan and apply edits in turn with the baseline."""
    stack = Stack.planned(endpoint=endpoint)
    stack.create(clients)
    handler = our_handler(stack.environment("ApiExperiments"))
    from abtest.services.shops import Shops
    from abtest.wiring.api import management

    base = management()
    fields = {"name": "Shop", "domain": "shop.example", "currency": "EUR"}
    _, key = Shops(base.world, base.publication).found(base.world.new_id(), fields)
    api = Api(handler, key.text)
    creation, made = api("POST", "/experiments", json.dumps(largest()))
    path = f"/experiments/{made['id']}/filesystem"
    tree = {file["path"]: file["content"] for file in api("GET", path)[1]["files"]}
    seconds: dict[str, list[float]] = {"read": [], "style": [], "plan": [], "apply": [], "parse": []}
    for number in range(ROUNDS + 2):
        style = "variations/variant-3/custom.css"
        styled = {**tree, style: f"/* {number} */\n{tree[style]}"}
        given = json.dumps({"files": [{"path": each, "content": content} for each, content in styled.items()]})
        of_style, plan = api("POST", f"{path}/plan", given)
        assert [each["path"] for each in plan["operations"]] == [style], plan["errors"]
        edited = "variations/variant-3/custom.js"
        tree[edited] = tree[edited].replace("//", f"// {number}\n//", 1)
        body: dict[str, Any] = {"files": [{"path": each, "content": text} for each, text in tree.items()]}
        text = json.dumps(body)
        started = time.perf_counter()
        json.loads(text)
        took = {"parse": time.perf_counter() - started, "style": of_style}
        took["plan"], plan = api("POST", f"{path}/plan", text)
        assert [each["path"] for each in plan["operations"]] == [edited], plan["errors"]
        took["apply"], applied = api("POST", f"{path}/apply", json.dumps({**body, "plan_sha256": plan["planSha256"]}))
        assert applied["applied"]
        took["read"], shown = api("GET", path)
        assert {file["path"]: file["content"] for file in shown["files"]} == tree
        if number > 1:  # the first rounds build the operations
            for name, value in took.items():
                seconds[name].append(value)
    print(f"experiment files, {len(text) / 1e6:.1f} MB a request, {len(tree)} files (medians of {ROUNDS})")
    parse = statistics.median(seconds["parse"])
    for name, claim in (
        ("read", "read"),
        ("style", "plan of a style, under 300 ms"),
        ("plan", "plan of a script, under 300 ms"),
        ("apply", "apply, under 1 s"),
    ):
        ours = statistics.median(seconds[name])
        line(claim, milliseconds(ours), "json.loads of the same request", milliseconds(parse), ours / parse)
    slowest = {name: max(values) for name, values in seconds.items()}
    print(f"  creation through the API, all scripts parsed: {milliseconds(creation)}")
    print(f"  slowest plan {milliseconds(slowest['plan'])}, slowest apply {milliseconds(slowest['apply'])}")
    print(f"  peak memory {peak_megabytes():.0f} MB")


def main() -> None:
    """Run against an engine of its own, which is removed afterwards."""
    with local_engine() as (clients, endpoint):
        measure(clients, endpoint)


if __name__ == "__main__":
    main()
