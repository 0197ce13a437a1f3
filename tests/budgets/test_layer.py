"""The layer holds what a function loads and nothing else: simulations, notebooks and test doubles live outside it."""

import re
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp

AHEAD: tuple[str, ...] = ()
"""Modules whose routes are not there yet, with all that only they import. An entry that some function reaches fails."""


def test_layer__each_module__is_imported_by_some_function() -> None:
    functions = [app.parent.name for app in Path("functions").glob("*/app.py")]
    graph = grimp.build_graph("abtest", *functions)
    loaded = {module for name in functions for module in graph.find_upstream_modules(f"{name}.app")}
    # Importing a module runs the packages around it, which no import statement names.
    packages = {module.rsplit(".", depth)[0] for module in loaded for depth in range(1, module.count(".") + 1)}
    ahead = {module for name in AHEAD for module in (name, *graph.find_upstream_modules(name))} - loaded
    packages |= {module.rsplit(".", depth)[0] for module in ahead for depth in range(1, module.count(".") + 1)}
    unused = {module for module in graph.modules if module.startswith("abtest.")} - loaded - packages - ahead
    assert sorted(unused) == []
    assert set(AHEAD) <= ahead


DATA = {"tzdata"}
"""Distributions without code of their own: zoneinfo reads this one."""


def test_libraries_of_the_layers__are_each_imported_by_some_function() -> None:
    graph = grimp.build_graph("abtest", include_external_packages=True, exclude_type_checking_imports=True)
    lines = [line for path in Path("layers").glob("*/requirements.in") for line in path.read_text().splitlines()]
    required = {re.split(r"[<=>\[]", line)[0].lower() for line in lines if line and not line.startswith("#")} - DATA
    names = packages_distributions()
    used = {
        name.lower().replace("_", "-") for module in graph.modules for name in names.get(module.partition(".")[0], ())
    }
    assert sorted(required - used) == []
