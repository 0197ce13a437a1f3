"""Code of an experiment and code of its variation, joined in one text where a single field delivers both."""


def joined_styles(*styles: str | None) -> str | None:
    """Return the style sheets in their order as one; None where there are none."""
    return "\n".join(style for style in styles if style) or None


def as_call(script: str) -> str:
    """Return a function's body as a call of its own, so that its names and its `return` stay inside."""
    return f"(function(){{\n{script}\n}})();"
