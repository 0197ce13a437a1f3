"""The comparison: a table on a desktop; on a phone each row has its label above its cells."""

from abtest.domain.pages.sections import Setting, heading, section
from abtest.domain.pages.spec import Comparison
from abtest.domain.pages.words import Language
from abtest.kit.markup import Html, el


def comparison(block: Comparison, setting: Setting) -> Html:
    """Return the section of a comparison. Roles are written out, because a phone shows the rows as grids."""
    columns = [el("th", name, scope="col", role="columnheader") for name in block.columns]
    head = el("tr", el("td", role="cell"), columns, role="row")
    rows = [
        el(
            "tr",
            el("th", row.label, scope="row", role="rowheader"),
            [el("td", _cell(cell, setting.language), role="cell") for cell in row.cells],
            role="row",
        )
        for row in block.rows
    ]
    table = el(
        "table",
        el("thead", head, role="rowgroup"),
        el("tbody", rows, role="rowgroup"),
        role="table",
        aria_label=block.heading,
        class_=f"of{len(columns)}",
    )
    return section(block, heading(block, block.heading, setting), table)


def _cell(cell: str | bool, language: Language) -> Html | str:
    if isinstance(cell, str):
        return cell
    sign = el("span", class_="yes" if cell else "no", aria_hidden="true")
    return el(
        "span", sign, el("span", language.words.yes if cell else language.words.no, class_="unseen", lang=language.lang)
    )
