"""Ratchet on signatures of the domain that have `Any` or an untyped mapping in them."""

from tools.figures import ROOT, aliases, functions, sources, untyped_functions

MOST = 0.05
"""Share of the functions of the domain. It may only fall."""


def test_domain__signatures_without_types__stay_few() -> None:
    modules = sources(ROOT)
    untyped = aliases(modules)
    domain = [module for module in modules if module.path.startswith("shared/abtest/domain/")]
    names = {module.dotted: untyped_functions(module, untyped) for module in domain}
    share = sum(map(len, names.values())) / sum(len(functions(module)) for module in domain)
    assert share <= MOST, {dotted: some for dotted, some in names.items() if some}
