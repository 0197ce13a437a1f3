"""Code of an experiment and of its variation as one text: what is delivered by one field stays two things."""


def joined_styles(*styles: str | None) -> str | None:
    """The style sheets in their order; None where there are none."""
    return "\n".join(style for style in styles if style) or None


def as_call(script: str) -> str:
    """A function's body as a call of its own, so that its names and its `return` concern nobody else."""
    return f"(function(){{\n{script}\n}})();"
