"""The snippet: run in an engine, it starts the SDK with the config and real functions."""

import json
from collections.abc import Collection
from typing import Any

import pytest
import quickjs

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.delivery.chunks import INLINE_BYTES, Chunk
from abtest.domain.delivery.literals import literal
from abtest.domain.delivery.snippet import TEXT_FROM, Snippet, render_snippet, without_broken_scripts
from abtest.services.publication.code import CheckedScripts
from tests.support.any_json import any_json

Config = Any
BUNDLE = """(function (config, scripts) {
  globalThis.started = { config: typeof config === "string" ? JSON.parse(config) : config, scripts: scripts };
});
"""


SCRIPTS = CheckedScripts(QuickJsChecker())
ASSETS_URL = "https://edge.example/s/shop/"


def config_of(*experiments: Any) -> Config:
    return {"shop_id": "s", "runtime": {}, "experiments": list(experiments)}


def rendered(config: Config) -> Snippet:
    return render_snippet(config, lambda _: BUNDLE, SCRIPTS, ASSETS_URL)


def experiment(**fields: Any) -> Any:
    return {"name": "E", "variations": [], **fields}


def nameless(config: Config) -> Config:
    """As the snippet holds it: names are for people."""
    experiments = [
        {name: value for name, value in each.items() if name != "name"}
        | {"variations": [{name: value for name, value in arm.items() if name != "name"} for arm in each["variations"]]}
        for each in config["experiments"]
    ]
    return {**config, "experiments": experiments}


def started(config: Config, then: str = "JSON.stringify(started.config)") -> Any:
    context = quickjs.Context()
    context.eval(rendered(config).text)
    return context.eval(then)


@pytest.mark.parametrize("length", [0, TEXT_FROM])
def test_snippet__run__hands_the_config_over(length: int) -> None:
    css = "</style>\u2028 😀 é \\ \" '" + "x" * length
    config = config_of(experiment(variations=[{"name": "V", "mutations": [{"html": css, "__proto__": 1}]}]))
    assert json.loads(started(config)) == nameless(config)


def test_long_config__is_a_text_that_a_part_of_the_sdk_reads() -> None:
    def kind(length: int) -> tuple[bool, bool]:
        config = config_of() | {"shop_id": "s" * length}
        wanted: list[Collection[str]] = []

        def bundle(parts: Collection[str]) -> str:
            wanted.append(parts)
            return BUNDLE

        rendered = render_snippet(config, bundle, SCRIPTS, ASSETS_URL)
        return rendered.text.startswith(BUNDLE.strip().removesuffix(";") + "('"), "parsing" in wanted[0]

    rest = len(literal(config_of() | {"shop_id": ""}))
    assert kind(TEXT_FROM - rest - 1) == (False, False)
    assert kind(TEXT_FROM - rest) == (True, True)


def test_snippet__with_scripts__holds_them_as_functions_and_their_positions() -> None:
    block = {"rules": {}, "js": "return 'block'"}
    variation = {"name": "V", "js": "return 'variation'", "blocks": [block]}
    config = config_of(experiment(js="return 'experiment'", reset_js="return 'reset'", variations=[variation]))
    first = json.loads(started(config))["experiments"][0]
    positions = [
        first["js"],
        first["reset_js"],
        first["variations"][0]["js"],
        first["variations"][0]["blocks"][0]["js"],
    ]
    assert sorted(positions) == [0, 1, 2, 3]
    calls = ",".join(f"started.scripts[{position}]()" for position in positions)
    assert started(config, f"[{calls}].join()") == "experiment,reset,variation,block"


def test_snippet__with_personalizations__holds_the_scripts_of_their_experiences_and_leaves_values_alone() -> None:
    value = {"js": "data", "experiences": [{"js": "data"}]}
    shown = {"name": "X", "js": "return 'shown'", "reset_js": "return 'reset'", "hide": [".a"], "value": value}
    flags = [{"key": "f", "on": {"js": "data"}, "off": {"reset_js": "data"}}]
    config = {**config_of(), "personalizations": [{"name": "P", "experiences": [shown]}], "flags": flags}
    found = json.loads(started(config))
    (experience,) = found["personalizations"][0]["experiences"]
    assert started(config, f"started.scripts[{experience['js']}]() + started.scripts[{experience['reset_js']}]()") == (
        "shownreset"
    )
    assert (experience["value"], experience["hide"], found["flags"]) == (value, [".a"], flags)
    assert started(config, "started.scripts.length") == 2


def test_snippet__with_the_same_script_twice__holds_it_once() -> None:
    config = config_of(experiment(js="a()"), experiment(js="a()"))
    assert started(config, "started.scripts.length") == 1


def test_snippet__does_not_run_scripts_while_it_loads() -> None:
    assert started(config_of(experiment(js="globalThis.ran = true")), "typeof ran") == "undefined"


@pytest.mark.parametrize("text", ["</script>", "</SCRIPT", "<!--", "\u2028", "\u2029"])
def test_snippet__with_dangerous_text__holds_it_escaped(text: str) -> None:
    config = config_of(experiment(css=text, js=f"return '{text}'", goals=[{"type": "click", "text": text}]))
    assert text not in rendered(config).text
    assert json.loads(started(config, "JSON.stringify(started.config.experiments[0].css)")) == text
    assert started(config, "started.scripts[0]()") == text


def test_snippet__with_replacement_patterns__keeps_them() -> None:
    config = config_of(experiment(css="$& $1 $$ $`", id="\\u003c"))
    assert json.loads(started(config)) == nameless(config)


def test_snippet__with_a_key_named_like_the_prototype__keeps_it_a_key() -> None:
    mutation = {"attributes": {"__proto__": "x", "a": '"__proto__":'}}
    config = config_of(experiment(variations=[{"name": "V", "mutations": [mutation]}]))
    assert json.loads(started(config)) == nameless(config)


@pytest.mark.parametrize("key", ['"__proto__', 'a"__proto__', '{"__proto__', '\\"__proto__', ',"__proto__'])
def test_snippet__with_a_key_that_ends_like_the_prototype__still_parses(key: str) -> None:
    config = {**config_of(), "flags": [{"on": {key: 1, "__proto__": {key: 2}}}]}
    assert json.loads(started(config)) == nameless(config)


def test_snippet__with_a_script_that_begins_with_the_end_of_a_comment__still_parses() -> None:
    parts, reasons = without_broken_scripts([experiment(js="--> old\nreturn 7")], SCRIPTS)
    assert reasons == []
    assert started(config_of(*parts), "started.scripts[0]()") == 7


def test_snippet__with_a_lone_surrogate__is_written_in_utf_8() -> None:
    snippet = rendered(config_of(experiment(css="\ud800"))).text
    assert "\\ud800" in snippet.encode().decode()


def test_broken_scripts__are_left_out_with_a_reason_that_says_where() -> None:
    block = {"rules": {}, "js": "}"}
    variation = {"name": "V", "js": "ok()", "css": "c", "blocks": [block]}
    parts, reasons = without_broken_scripts([experiment(js="a = ;", variations=[variation])], SCRIPTS)
    assert parts == [experiment(variations=[{"name": "V", "js": "ok()", "css": "c", "blocks": [{"rules": {}}]}])]
    assert reasons[0].startswith("'E': JS is left out: line 1, column 5: ")
    assert reasons[1].startswith("'E' / 'V' / block 1: JS is left out: ")


def test_broken_scripts__do_not_keep_the_rest_from_starting() -> None:
    parts, _ = without_broken_scripts([experiment(js="}); ("), experiment(js="return 1")], SCRIPTS)
    assert started(config_of(*parts), "started.scripts.map(script => script()).join()") == "1"


def chunk_of(config: Config) -> Chunk:
    (chunk,) = rendered(config).chunks
    return chunk


def called(chunk: Chunk) -> Any:
    """What the chunk hands to the SDK: its name, and what its function returns."""
    context = quickjs.Context()
    context.eval("var svc = { chunk: (name, script) => { svc.got = [name, script()] } }")
    context.eval(chunk.content.decode())
    return json.loads(context.eval("JSON.stringify(svc.got)"))


def of_bytes(count: int) -> str:
    return f"return '{'é' * ((count - 9) // 2)}'".ljust(count - (count - 9) // 2, ";")


@pytest.mark.parametrize("size", [INLINE_BYTES - 1, INLINE_BYTES])
def test_script__of_10_kb__is_a_function_of_the_snippet(size: int) -> None:
    assert len(of_bytes(size).encode()) == size
    assert rendered(config_of(experiment(js=of_bytes(size)))).chunks == ()


def test_script__over_10_kb__is_a_chunk_that_the_array_names() -> None:
    config = config_of(experiment(js=of_bytes(INLINE_BYTES + 1)), experiment(js="return 1"))
    chunk = chunk_of(config)
    assert called(chunk)[0] == chunk.name == started(config, "started.scripts[started.config.experiments[0].js]")
    assert started(config, "started.config.runtime.assets_url") == ASSETS_URL
    assert started(config, "started.scripts[1]()") == 1


def test_style__over_10_kb__is_a_chunk_that_stands_in_its_place() -> None:
    css = "a" * INLINE_BYTES + "b"
    assert rendered(config_of(experiment(css=css[:-1]))).chunks == ()
    config = config_of(experiment(css=css))
    chunk = chunk_of(config)
    assert (chunk.kind, chunk.content) == ("css", css.encode())
    assert json.loads(started(config))["experiments"][0]["css"] == {"chunk": chunk.name}


def test_style__over_10_kb_with_half_a_character__stays_in_the_snippet() -> None:
    assert rendered(config_of(experiment(css="a" * INLINE_BYTES + "\ud800"))).chunks == ()


@pytest.mark.parametrize("young", ["a ??= 1", "return /(?<=a)b/", "class A { static {} }", "return 1_000"])
def test_script__that_only_younger_browsers_read__harms_no_other(young: str) -> None:
    (chunk,) = rendered(config_of(experiment(js=young), experiment(js="return 1"))).chunks
    assert young.encode() in chunk.content


def test_snippet__without_chunks__has_no_address_for_them() -> None:
    assert "assets_url" not in json.loads(started(config_of(experiment(js="return 1"))))["runtime"]


def test_chunk__of_the_same_code_twice__is_one() -> None:
    code = of_bytes(INLINE_BYTES + 1)
    assert len(rendered(config_of(experiment(js=code, reset_js=code))).chunks) == 1


def test_consent__is_a_function_of_the_required_group() -> None:
    config = config_of() | {"runtime": {"consent": {"read": "return group + 1", "events": []}}}
    assert started(config, "started.scripts[started.config.runtime.consent.read](41)") == 42


def test_snippet__asks_for_the_parts_that_the_config_calls_for() -> None:
    wanted: list[Any] = []

    def bundle(parts: Any) -> str:
        wanted.append(set(parts))
        return BUNDLE

    render_snippet(config_of(), bundle, SCRIPTS, ASSETS_URL)
    render_snippet(any_json({**config_of(), "flags": []}), bundle, SCRIPTS, ASSETS_URL)
    assert wanted[1] - wanted[0] == {"flags"}
