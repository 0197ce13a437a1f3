"""The storefront SDK: JavaScript source, its build, and the committed bundle that snippets are made of."""

from importlib.resources import files


def bundle() -> str:
    """The bundle: one JavaScript expression that evaluates to `start(config, scripts)`."""
    return files(__name__).joinpath("dist", "sdk.js").read_text(encoding="utf-8")
