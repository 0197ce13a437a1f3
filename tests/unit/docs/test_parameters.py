"""docs/parameters.md lists the parameters of template.yaml."""

import re
from pathlib import Path

from tests.support.template import TEMPLATE
from tools.local.template.document import load

PAGE = Path(__file__).parents[3] / "docs" / "parameters.md"
ROWS = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", PAGE.read_text(), re.MULTILINE)
PARAMETERS = load(TEMPLATE).parameters


def test_page__lists_every_parameter_in_order_with_its_default() -> None:
    documented = [(name, default) for name, default, _, _ in ROWS]
    assert documented == [(name, _default(each.get("Default"))) for name, each in PARAMETERS.items()]


def test_page__names_every_allowed_value() -> None:
    cells = {name: " ".join(texts) for name, *texts in ROWS}
    for name, each in PARAMETERS.items():
        choices = [value for value in each.get("AllowedValues", []) if value not in ("true", "false")]
        assert not [value for value in choices if value not in cells[name]], name


def _default(value: object) -> str:
    return f"`{value}`" if value not in (None, "") else "empty"
