"""Invoking built functions: which cases the gate chooses, and what a function's process can import."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.sam import invoke
from tools.sam.invoke import Built, Case, differences, first_of, in_process


def test_first_of__cases_by_function__keeps_their_order() -> None:
    functions = [Built(name, "f.handler", {}, ()) for name in "ab"]
    cases = [Case(functions[place], Path(f"{number}.json"), None) for number, place in enumerate((0, 0, 1, 0, 1))]
    assert [case.event.stem for case in first_of(cases, lambda case: case.function.logical_id)] == ["0", "2"]


def test_cases__of_this_project__name_every_function() -> None:
    functions = invoke.built_functions()
    assert {case.function.logical_id for case in invoke.cases()} == {function.logical_id for function in functions}


def test_differences__of_answers__name_the_path() -> None:
    assert differences({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}) == []
    assert differences({"a": {"b": 1}}, {"a": {"b": 2}}) == [".a.b: expected 1, got 2"]


def test_process__of_a_function__imports_its_layers_and_nothing_of_this_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Layer/python").mkdir(parents=True)
    (tmp_path / "Layer/python/ours.py").write_text("def answer(event): return {'echo': event}")
    (tmp_path / "Function").mkdir()
    (tmp_path / "Function/good.py").write_text("import ours\ndef handler(event, context): return ours.answer(event)")
    (tmp_path / "Function/bad.py").write_text("def handler(event, context): import pytest")
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"n": 1}))
    monkeypatch.setattr(invoke, "BUILD", tmp_path)
    assert in_process(Built("Function", "good.handler", {}, ("Layer",)), event) == {"echo": {"n": 1}}
    found = in_process(Built("Function", "bad.handler", {}, ("Layer",)), event)
    assert found == {"errorType": "ModuleNotFoundError", "errorMessage": "No module named 'pytest'"}
