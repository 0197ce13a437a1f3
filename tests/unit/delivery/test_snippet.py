"""The snippet: run in an engine, it starts the SDK with the config and real functions."""

import json
from typing import Any

import pytest
import quickjs

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.delivery.parts import Config
from abtest.domain.delivery.snippet import render_snippet, without_broken_scripts

BUNDLE = "(function (config, scripts) { globalThis.started = { config: config, scripts: scripts } });\n"


def check(source: str) -> str | None:
    error = QuickJsChecker().check(source)
    return None if error is None else str(error)


def config_of(*experiments: dict[str, Any]) -> Config:
    return {"shop_id": "s", "experiments": list(experiments)}


def experiment(**fields: Any) -> dict[str, Any]:
    return {"name": "E", "variations": [], **fields}


def started(config: Config, then: str = "JSON.stringify(started.config)") -> Any:
    context = quickjs.Context()
    context.eval(render_snippet(config, BUNDLE, check))
    return context.eval(then)


def test_snippet__run__hands_the_config_over() -> None:
    config = config_of(experiment(css="</style>\u2028 😀 é \\ \" '"))
    assert json.loads(started(config)) == config


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


@pytest.mark.parametrize("text", ["</script>", "<!--", "\u2028", "\u2029"])
def test_snippet__with_dangerous_text__holds_it_escaped(text: str) -> None:
    config = config_of(experiment(name=text, js=f"return '{text}'", goals=[{"text": text}]))
    assert text not in render_snippet(config, BUNDLE, check)
    assert json.loads(started(config, "JSON.stringify(started.config.experiments[0].name)")) == text
    assert started(config, "started.scripts[0]()") == text


def test_snippet__with_replacement_patterns__keeps_them() -> None:
    config = config_of(experiment(name="$& $1 $$ $`", css="\\u003c"))
    assert json.loads(started(config)) == config


def test_snippet__with_a_key_named_like_the_prototype__keeps_it_a_key() -> None:
    mutation = {"attributes": {"__proto__": "x", "a": '"__proto__":'}}
    config = config_of(experiment(variations=[{"name": "V", "mutations": [mutation]}]))
    assert json.loads(started(config)) == config


@pytest.mark.parametrize("key", ['"__proto__', 'a"__proto__', '{"__proto__', '\\"__proto__', ',"__proto__'])
def test_snippet__with_a_key_that_ends_like_the_prototype__still_parses(key: str) -> None:
    config = {**config_of(), "flags": [{"on": {key: 1, "__proto__": {key: 2}}}]}
    assert json.loads(started(config)) == config


def test_snippet__with_a_script_that_begins_with_the_end_of_a_comment__still_parses() -> None:
    parts, reasons = without_broken_scripts([experiment(js="--> old\nreturn 7")], check)
    assert reasons == []
    assert started(config_of(*parts), "started.scripts[0]()") == 7


def test_snippet__with_a_lone_surrogate__is_written_in_utf_8() -> None:
    snippet = render_snippet(config_of(experiment(name="\ud800")), BUNDLE, check)
    assert "\\ud800" in snippet.encode().decode()


def test_broken_scripts__are_left_out_with_a_reason_that_says_where() -> None:
    block = {"rules": {}, "js": "}"}
    variation = {"name": "V", "js": "ok()", "css": "c", "blocks": [block]}
    parts, reasons = without_broken_scripts([experiment(js="a = ;", variations=[variation])], check)
    assert parts == [experiment(variations=[{"name": "V", "js": "ok()", "css": "c", "blocks": [{"rules": {}}]}])]
    assert reasons[0].startswith("'E': JS is left out: line 1, column 5: ")
    assert reasons[1].startswith("'E' / 'V' / block 1: JS is left out: ")


def test_broken_scripts__do_not_keep_the_rest_from_starting() -> None:
    parts, _ = without_broken_scripts([experiment(js="}); ("), experiment(js="return 1")], check)
    assert started(config_of(*parts), "started.scripts.map(script => script()).join()") == "1"
