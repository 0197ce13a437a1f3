"""The layer holds what a function loads and nothing else: simulations, notebooks and test doubles live outside it."""

import re
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp
import pytest

from tests.support.template import function_handlers
from tools.sam.sizes import layers_of_functions

TEMPLATE = Path("template.yaml")

AHEAD: tuple[str, ...] = ()
"""Modules whose routes are not there yet, with all that only they import. An entry that some function reaches fails."""


def library_graph(*functions: str) -> grimp.ImportGraph:
    """Imports of our package and of functions, with libraries as modules of their own."""
    return grimp.build_graph("abtest", *functions, include_external_packages=True, exclude_type_checking_imports=True)


def normal(distribution: str) -> str:
    """Name of a distribution as locks spell it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


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


@pytest.mark.parametrize("function", sorted(layers_of_functions(TEMPLATE)))
def test_function__every_library_that_it_imports__is_in_one_of_its_layers(function: str) -> None:
    folder = {name: handler.split(".", maxsplit=1)[0] for name, handler, _ in function_handlers()}[function]
    graph = library_graph(folder)
    libraries = {name for name in graph.find_upstream_modules(f"{folder}.app") if graph.is_module_squashed(name)}
    layers = [layer.removesuffix("Layer").lower() for layer in layers_of_functions(TEMPLATE)[function]]
    # The package and the console have no libraries.
    locks = [Path(f"layers/{layer}/requirements.txt") for layer in layers if layer not in {"package", "console"}]
    locked = {line.partition("==")[0] for lock in locks for line in lock.read_text().splitlines() if "==" in line}
    distributions = packages_distributions()
    missing = {
        name
        for name in libraries
        if (owners := distributions.get(name)) and not {normal(each) for each in owners} & locked
    }
    assert missing == set()


DATA = {"tzdata"}
"""Distributions without code of their own: zoneinfo reads this one."""

PINNED = {"cbor2"}
"""Distributions that only other libraries import, pinned for a wheel that the runtime can load: webauthn reads CBOR."""


def test_libraries_of_the_layers__are_each_imported_by_some_function() -> None:
    graph = library_graph()
    lines = [line for path in Path("layers").glob("*/requirements.in") for line in path.read_text().splitlines()]
    required = {re.split(r"[<=>\[]", line)[0].lower() for line in lines if line and not line.startswith("#")}
    names = packages_distributions()
    used = {normal(name) for module in graph.modules for name in names.get(module.partition(".")[0], ())}
    assert sorted(required - used - DATA - PINNED) == []
