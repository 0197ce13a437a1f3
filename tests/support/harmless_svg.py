"""SVG files as drawing programs write them, whose looks must not change."""

from __future__ import annotations

from pathlib import Path

from tests.support.hostile_svg import PNG

ICONS = Path("tests/browser/pages/node_modules/bootstrap-icons/icons")


def icons() -> dict[str, bytes]:
    """All icons of bootstrap-icons by name. They are installed by `make setup`."""
    return {path.stem: path.read_bytes() for path in sorted(ICONS.glob("*.svg"))}


def _svg(body: str, attributes: str = 'viewBox="0 0 40 40"') -> bytes:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="40" height="40" {attributes}>{body}</svg>'
    ).encode()


DRAWINGS: dict[str, bytes] = {
    "gradients": _svg(
        '<defs><linearGradient id="a"><stop offset="0" stop-color="red"/><stop offset="1" style="stop-color:#00f"/>'
        '</linearGradient><radialGradient id="b" xlink:href="#a" gradientUnits="userSpaceOnUse" cx="30" cy="30" r="9"/>'
        '</defs><rect width="20" height="40" fill="url(#a)"/><circle cx="30" cy="30" r="9" style="fill:url(\'#b\')"/>'
    ),
    "sheet": _svg(
        "<style>/* a */.st0{fill:#c00;stroke:rgb(0,0,200)}g>.st1:not(.st0){fill:hsl(120 80% 40%)!important}"
        "@media (min-width:1px){[data-a],circle{opacity:.5}}</style>"
        '<g><rect class="st0" width="20" height="20"/><rect class="st1" y="20" width="20" height="20"/></g>'
        '<circle cx="30" cy="20" r="9"/>'
    ),
    "sheet-cdata": _svg('<style type="text/css"><![CDATA[.a{fill:green}]]></style><path class="a" d="M0 0h40v40z"/>'),
    "filters": _svg(
        '<filter id="f" x="-50%" width="200%"><feGaussianBlur in="SourceAlpha" stdDeviation="2" result="b"/>'
        '<feOffset dx="2" dy="2"/><feColorMatrix values="0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 .5 0"/><feMerge>'
        '<feMergeNode/><feMergeNode in="SourceGraphic"/></feMerge></filter>'
        '<rect x="9" y="9" width="20" height="20" filter="url(#f)"/>'
    ),
    "clip-mask-pattern": _svg(
        '<clipPath id="c"><circle cx="20" cy="20" r="15"/></clipPath><mask id="m"><rect width="40" height="25" '
        'fill="#fff"/></mask><pattern id="p" width="4" height="4" patternUnits="userSpaceOnUse"><path d="M0 0l4 4" '
        'stroke="#000"/></pattern><g clip-path="url(#c)">'
        '<rect width="40" height="40" fill="url(#p)" mask="url(#m)"/></g>'
    ),
    "symbols": _svg(
        '<symbol id="s" viewBox="0 0 10 10"><rect width="10" height="10" rx="3"/></symbol>'
        '<use xlink:href="#s" width="20" height="20" fill="teal"/><use href="#s" x="20" y="20" width="20" height="20"/>'
    ),
    "text": _svg(
        '<text x="2" y="12" font-size="10" style="font-family:\'DejaVu Sans\',sans-serif;font-weight:700">Ab '
        '<tspan fill="red" dy="5">&amp; &lt;c&gt;</tspan></text><path id="t" d="M2 35q15-20 35 0" fill="none"/>'
        '<text font-size="7"><textPath href="#t">on a path</textPath></text>'
    ),
    "markers": _svg(
        '<marker id="m" markerWidth="6" markerHeight="6" refX="3" refY="3" orient="auto"><path d="M0 0l6 3-6 3z"/>'
        '</marker><polyline points="5,5 30,10 20,35" fill="none" stroke="#333" marker-end="url(#m)"/>'
    ),
    "embedded": _svg(f'<image xlink:href="data:image/png;base64,{PNG}" width="40" height="40"/>'),
    "link": _svg('<a xlink:href="https://shop.example/"><rect width="30" height="30" fill="purple"/></a>'),
    "inkscape": (
        b'<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- Created with Inkscape -->\n'
        b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
        b'xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" width="10mm" height="10mm" '
        b'viewBox="0 0 10 10"><sodipodi:namedview id="v"/><metadata><a/></metadata><g inkscape:groupmode="layer" '
        b'transform="translate(1 1) rotate(10)" style="display:inline;-inkscape-stroke:none"><path '
        b'sodipodi:nodetypes="cc" style="fill:#d40000;fill-opacity:0.5;stroke:#000;stroke-width:.3" '
        b'd="M1 1h6v5z"/></g></svg>'
    ),
    "illustrator": (
        b'<?xml version="1.0" encoding="utf-8"?><!-- Generator: Adobe Illustrator 19.0.0 --><!DOCTYPE svg PUBLIC '
        b'"-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg version="1.1" id="Capa_1" '
        b'xmlns="http://www.w3.org/2000/svg" x="0px" y="0px" width="40px" height="40px" viewBox="0 0 40 40" '
        b'style="enable-background:new 0 0 40 40;" xml:space="preserve"><title>Caf\xc3\xa9</title><g>\n\t<polygon '
        b'style="fill:#FFC107;" points="1,1 39,9 9,39 "/></g></svg>'
    ),
    "utf-16": '<?xml version="1.0" encoding="UTF-16"?>'.encode("utf-16")
    + _svg('<circle cx="9" cy="9" r="9" fill="navy"/>').decode().encode("utf-16")[2:],
    "still-animation": _svg(
        '<rect width="20" height="20"><set attributeName="fill" to="orange"/><animate attributeName="x" '
        'values="10;10" dur="1s" repeatCount="indefinite"/></rect>'
    ),
    "switch": _svg('<switch><text systemLanguage="xx" y="20">no</text><rect width="9" height="9"/></switch>'),
    "prefixed": (
        b'<s:svg xmlns:s="http://www.w3.org/2000/svg" width="40" height="40"><s:ellipse fill="red" '
        b'cx="20" cy="20" rx="19" ry="9"/></s:svg>'
    ),
}
