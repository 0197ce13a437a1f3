"""The layer holds what a function loads and nothing else: simulations, notebooks and test doubles live outside it."""

from pathlib import Path

import grimp


def test_layer__each_module__is_imported_by_some_function() -> None:
    functions = [app.parent.name for app in Path("functions").glob("*/app.py")]
    graph = grimp.build_graph("abtest", *functions)
    loaded = {module for name in functions for module in graph.find_upstream_modules(f"{name}.app")}
    # Importing a module runs the packages around it, which no import statement names.
    packages = {module.rsplit(".", depth)[0] for module in loaded for depth in range(1, module.count(".") + 1)}
    unused = {module for module in graph.modules if module.startswith("abtest.")} - loaded - packages
    assert sorted(unused) == []
