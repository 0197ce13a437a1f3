"""Styles of the page: on a screen, in the dark, in a narrow window, on paper."""

_LIGHT = """
--ink:#16191d;--soft:#565e68;--faint:#d9dde2;--paper:#fff;--wash:#f5f6f8;--rail:#dfe3e8;
--good:#176b3a;--good-wash:#e7f4ec;--bad:#a8201a;--bad-wash:#fcebea;--warn:#7a4d00;--warn-wash:#fdf1d8;--plain:#3d4650;
--accent:#1d5bb8;
--c0:#5b6470;--c1:#1d5bb8;--c2:#b04a05;--c3:#0b7064;--c4:#96298a;--c5:#5c6f00;--c6:#6a46c2;--c7:#b01f41;--c8:#0b6c83;
--c9:#785700;
"""
_DARK = """
--ink:#eceff3;--soft:#a9b2bd;--faint:#343b44;--paper:#14171b;--wash:#1c2026;--rail:#343b44;
--good:#7bd8a0;--good-wash:#173325;--bad:#ff9d96;--bad-wash:#3d1c1a;--warn:#f2c468;--warn-wash:#392a0c;--plain:#c3cad2;
--accent:#82b4ff;
--c0:#a9b2bd;--c1:#82b4ff;--c2:#ffae70;--c3:#55d3c2;--c4:#f09be2;--c5:#bfd94e;--c6:#b9a3ff;--c7:#ff93a9;--c8:#62cae2;
--c9:#e5c45c;
"""
_PAGE = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;max-width:56rem;padding:2.5rem 1.5rem 4rem;color:var(--ink);background:var(--paper);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
font-variant-numeric:tabular-nums lining-nums;overflow-wrap:anywhere}
h1,h2,h3,p,ul,ol,dl,dd,figure{margin:0}
h1{font-size:1.9rem;line-height:1.2;letter-spacing:-.015em;font-weight:650;margin:.15rem 0 .4rem}
h2{font-size:1.2rem;line-height:1.3;font-weight:650;letter-spacing:-.005em}
h3{font-size:1rem;line-height:1.4;font-weight:600}
h3 small,th small{font-size:.8125rem;font-weight:400;color:var(--soft)}
b{font-weight:600}
ul,ol{padding:0;list-style:none}
section{margin-top:3rem}
.eyebrow{font-size:.8125rem;color:var(--soft)}
.about,.typed{max-width:44rem;white-space:pre-line}
.about{color:var(--soft)}
.facts{margin-top:.4rem;font-size:.9375rem;color:var(--soft)}
.lead{font-size:.875rem;color:var(--soft);max-width:46rem;margin:.25rem 0 1rem}
.soft{color:var(--soft);font-size:.875rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.badge{display:inline-block;padding:.06rem .5rem;white-space:nowrap;
border-radius:4px;font-size:.8125rem;line-height:1.45;font-weight:600;
background:var(--wash);color:var(--plain)}
.badge.good{background:var(--good-wash);color:var(--good)}
.badge.bad{background:var(--bad-wash);color:var(--bad)}
.badge.warn{background:var(--warn-wash);color:var(--warn)}
.verdict{margin-top:1.75rem;padding:1.4rem 1.5rem 1.5rem;background:var(--wash);border-radius:8px;
border-inline-start:4px solid var(--soft)}
.verdict.good{border-color:var(--good)}.verdict.bad{border-color:var(--bad)}.verdict.warn{border-color:var(--warn)}
.verdict>p>.badge{padding-inline:0;background:none;font-size:.9375rem}
.sentence{font-size:1.375rem;line-height:1.35;font-weight:600;letter-spacing:-.01em;margin:.1rem 0 .5rem;
max-width:42rem}
.verdict>ul{max-width:44rem}.verdict>ul li{margin-top:.25rem}
.stated{margin-top:1rem;padding-top:1rem;border-top:1px solid var(--faint)}
.figures{display:flex;flex-wrap:wrap;gap:1rem 1.25rem;margin-top:1.25rem;
padding-top:1.1rem;border-top:1px solid var(--faint)}
.figures>div{flex:1 1 8.25rem}.figures dt{font-size:.8125rem;color:var(--soft)}
.figures b{display:block;font-size:1.375rem;line-height:1.35;letter-spacing:-.01em;white-space:nowrap}
.figures span{font-size:.8125rem;color:var(--soft)}
.lines{margin-top:.75rem}
.lines li{display:grid;grid-template-columns:13rem 1fr;gap:.25rem 1rem;padding:.55rem 0;
border-top:1px solid var(--faint)}
.cautions{margin-top:1rem;max-width:44rem}.lines.cautions li{grid-template-columns:10.5rem 1fr}
.step{margin:.75rem 0;padding:.6rem .8rem;max-width:44rem;border-radius:6px;background:var(--paper);
border:1px solid var(--faint)}
.step b{color:var(--accent);margin-inline-end:.35rem}
.lines li>.badge{white-space:normal;justify-self:start;align-self:start;margin-top:.15rem}
.chip{display:inline-block;min-width:1.3em;padding:0 .25em;border-radius:3px;text-align:center;font-size:.75rem;
line-height:1.4;font-weight:700;color:var(--paper);background:var(--c)}
.forest{margin-top:1.5rem}
.forest .labels,.forest li{display:grid;grid-template-columns:minmax(0,11rem) minmax(0,1fr) 4.5rem 9.25rem 7rem;
column-gap:.9rem}
.forest li{padding:.35rem 0;border-top:1px solid var(--faint);align-items:center}
.forest .said{grid-column:2/-1;font-size:.875rem;color:var(--soft)}
.forest .between{text-align:end;white-space:nowrap}.forest .badge{white-space:normal}
.num{text-align:end;white-space:nowrap}.wide thead .num{white-space:normal}
.between{font-size:.875rem;color:var(--soft)}
svg{display:block;overflow:visible}
svg svg{overflow:hidden}
svg text{font-size:12px;fill:var(--soft)}
.plot{width:calc(100% - 3.5rem);margin-inline-start:3.5rem}
svg .mark{fill:var(--ink);font-weight:700}
.grid{stroke:var(--faint);stroke-width:1}
.zero{stroke:var(--ink);stroke-width:1;vector-effect:non-scaling-stroke}
.strip{color:var(--plain)}.strip.good{color:var(--good)}.strip.bad{color:var(--bad)}.strip.warn{color:var(--warn)}
.whisker{stroke:currentColor;stroke-width:3;stroke-opacity:.55}
.estimate{fill:currentColor;stroke:var(--paper);stroke-width:1.5}
svg .beyond{fill:currentColor}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1.5rem 2rem}
figcaption{font-size:.875rem;margin-bottom:.25rem}
.now{display:block;color:var(--soft)}
.line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round;vector-effect:non-scaling-stroke}
.line.c0{stroke-dasharray:5 3}
.band{fill:var(--c);fill-opacity:.16;stroke:none}
.dot{fill:var(--c);stroke:var(--paper);stroke-width:1}
section>figure{margin-top:1.5rem}
.curve{display:grid;grid-template-columns:minmax(0,1fr) 13rem;gap:.5rem 1rem;align-items:center}
.key li{display:flex;justify-content:space-between;gap:.75rem;padding:.2rem 0;font-size:.875rem}
.key b{white-space:nowrap}
.bar{margin:1rem 0 .5rem}
.rail{fill:var(--rail)}.done{fill:var(--accent)}.goal{stroke:var(--ink);stroke-width:2}
.box{overflow-x:auto;position:relative;border-top:1px solid var(--faint);border-bottom:1px solid var(--faint)}
.box{background:linear-gradient(90deg,var(--paper) 40%,transparent) 0 0/3rem 100% local no-repeat,
linear-gradient(270deg,var(--paper) 40%,transparent) 100% 0/3rem 100% local no-repeat,
linear-gradient(90deg,var(--faint),transparent) 0 0/.8rem 100% scroll no-repeat,
linear-gradient(270deg,var(--faint),transparent) 100% 0/.8rem 100% scroll no-repeat}
.box:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.875rem;overflow-wrap:normal}
th,td{padding:.4rem .5rem;text-align:start;vertical-align:top;font-weight:400}
td{white-space:nowrap}td.pair{white-space:normal}
tbody th{min-width:8rem;max-width:16rem;overflow-wrap:anywhere}
th:first-child{padding-inline-start:0}
thead th{color:var(--soft);font-size:.8125rem;vertical-align:bottom;border-bottom:1px solid var(--faint)}
.group>*{border-top:1px solid var(--faint)}
th[scope=rowgroup]{font-weight:600;padding-top:.7rem;max-width:none}
thead .axis{min-width:9rem}
.drawn{min-width:10rem;width:26%}
.window{margin-top:1.5rem}.window h3 small{overflow-wrap:anywhere}
.shots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,11rem),1fr));gap:1rem;margin-top:.5rem}
.shots img{display:block;width:100%;height:auto;max-height:36rem;object-fit:cover;object-position:top;
border:1px solid var(--faint);border-radius:4px;background:#fff}
.shots figcaption{margin:.4rem 0 0}.shots .soft{display:block}
.segment{margin-top:1.5rem}.segment h3{margin-bottom:.4rem}
.story{margin-top:.75rem}
.story li{display:grid;grid-template-columns:13rem 1fr;gap:0 1rem;padding:.4rem 0;border-top:1px solid var(--faint)}
.story time{color:var(--soft);font-size:.875rem;line-height:1.7}
footer{margin-top:3.5rem;padding-top:1.25rem;border-top:1px solid var(--faint);font-size:.875rem;color:var(--soft)}
footer h2{font-size:1rem;color:var(--ink)}
footer dl div{display:grid;grid-template-columns:13rem 1fr;gap:0 1rem;padding:.15rem 0}
footer dd{color:var(--ink)}
@media (max-width:44rem){
body{padding:1.5rem 1rem 3rem}
h1{font-size:1.5rem}.sentence{font-size:1.15rem}
section{margin-top:2.25rem}
.verdict{padding:1rem}
.figures{display:grid;grid-template-columns:1fr 1fr;gap:.9rem 1rem}.figures b{font-size:1.2rem}
.lines li,.lines.cautions li,.story li,footer dl div,.curve{grid-template-columns:minmax(0,1fr)}
.forest .labels{grid-template-columns:minmax(0,1fr)}
.forest .labels span{display:none}
.forest li{display:flex;flex-wrap:wrap;gap:.15rem .75rem}
.forest .state{margin-inline-start:auto}.forest .who,.forest .strip,.forest .said{flex:0 0 100%}
svg .odd{display:none}
}
@media screen and (max-width:44rem){
.box{background:none}
table,tbody,tr,td,th[scope=row],th[scope=rowgroup]{display:block}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr:not(.group){display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.4rem .75rem;
padding:.6rem 0;border-top:1px solid var(--faint)}
td,tbody th{padding:0}
tbody th[scope=row]{grid-row:1;grid-column:1/3;max-width:none;font-weight:600}
th[scope=rowgroup]{padding:.9rem 0 .3rem}.group>*{border-top:0}
td::before{content:attr(data-label);display:block;font-size:.75rem;color:var(--soft)}
td.num{text-align:start;white-space:normal}td.pair{grid-column:span 2}
td.state{grid-row:1;grid-column:3;justify-self:end;white-space:normal}td.state::before{display:none}
.drawn{grid-column:1/-1;width:auto}td.none{display:none}
}
@media (min-width:78rem){.wide{margin-inline:-10.5rem}}
@media print{
@page{margin:16mm}
body{max-width:none;padding:0;font-size:10.5pt}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
h2,h3,figcaption,.lead{break-after:avoid}
figure,.verdict,.figures,.forest li,.lines li,.story li,tr,svg,.bar{break-inside:avoid}
section{margin-top:1.75rem}
.box{overflow:visible;background:none}
.box table{font-size:7.5pt}.box thead th,.box small,.box .badge{font-size:inherit}
.box th,.box td{padding:.2rem .25rem;white-space:normal}.box tbody th{min-width:0}.box .num{white-space:normal}
.drawn,thead .axis{min-width:0}
.panels{grid-template-columns:1fr 1fr}
.shots{grid-template-columns:repeat(3,1fr)}.shots img{max-height:11cm}
}
"""


_COLOURS = "".join(f".c{number}{{--c:var(--c{number})}}" for number in range(10))

STYLESHEET = (
    f":root{{color-scheme:light dark;{_LIGHT}}}"
    f"@media screen and (prefers-color-scheme:dark){{:root{{{_DARK}}}}}"
    f"{_COLOURS}{_PAGE}"
).replace("\n", "")
