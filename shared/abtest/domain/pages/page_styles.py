"""Rules of the style sheet for the page, and for what several blocks share.

Sizes grow with the window between a phone and a desktop, without steps. Spacing is a scale: `--s1` to `--s5`, each
about one and a half times the one before. Colours are those of the tone.
"""

BASE = """
:root{--s1:.5rem;--s2:.875rem;--s3:clamp(1.25rem,1.1rem + .6vw,1.75rem);--s4:clamp(2rem,1.6rem + 1.7vw,3.25rem);
--s5:clamp(3.75rem,2.6rem + 4.6vw,7rem);--measure:40rem;
--shadow:0 1px 2px rgb(0 0 0/.05),0 8px 24px -12px rgb(0 0 0/.14)}
*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:var(--s3)}
body{margin:0;background:var(--surface);color:var(--text);font-family:var(--font);
font-size:clamp(1rem,.95rem + .22vw,1.125rem);line-height:1.6;overflow-wrap:anywhere;
-webkit-font-smoothing:antialiased;text-rendering:optimizeLegibility}
h1,h2,h3,p,ul,ol,dl,dd,figure,blockquote{margin:0}
ul[role],ol[role]{padding:0;list-style:none}
h1,h2,h3{line-height:1.15;font-weight:680;letter-spacing:-.022em;text-wrap:balance}
h1{font-size:clamp(2.25rem,1.55rem + 3vw,4rem);line-height:1.06;letter-spacing:-.032em}
h2{font-size:clamp(1.75rem,1.4rem + 1.5vw,2.625rem)}
.item{font-size:clamp(1.125rem,1.08rem + .2vw,1.25rem);line-height:1.3;letter-spacing:-.012em;font-weight:640}
p{text-wrap:pretty}
img,video{display:block;max-width:100%;height:auto}
main:focus{outline:0}
section,footer{padding-block:var(--s5);scroll-margin-top:0}
.plain+.plain:not(.hero),.muted+.muted:not(.hero),.dark+.dark:not(.hero){padding-top:0}
.wrap{max-width:calc(var(--width) + 2*var(--gutter));margin-inline:auto;padding-inline:var(--gutter);
--gutter:clamp(1.25rem,5vw,3rem)}
.narrow{max-width:calc(var(--measure) + 2*var(--gutter))}
a{color:var(--link);text-underline-offset:.18em;text-decoration-thickness:.06em}
a:hover{text-decoration-thickness:.12em}
:focus-visible{outline:3px solid var(--link);outline-offset:3px;border-radius:3px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;inset-inline-start:1rem;top:-6rem;z-index:9;padding:.7rem 1.1rem;border-radius:var(--radius);
background:var(--text);color:var(--surface)}
.skip:focus{top:1rem}
.soft{color:var(--soft)}
"""

MEDIA = """
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}
a,.button,summary,summary::after,input,select,textarea{transition:background-color .15s,border-color .15s,
color .15s,box-shadow .15s,transform .15s}}
@media print{:root,.plain,.muted,.dark{--surface:#fff;--card:#fff;--text:#000;--soft:#333;--link:#000;--line:#bbb}
body{font-size:11pt}section,footer{padding-block:1.25rem}.skip,.actions,video{display:none}
section,li,tr,figure,details{break-inside:avoid}h1,h2,h3{break-after:avoid}
details::details-content{content-visibility:visible;block-size:auto}
.prose a::after{content:" (" attr(href) ")";font-size:.85em}}
"""

BUTTONS = """
.actions{display:flex;flex-wrap:wrap;gap:var(--s2);align-items:center;margin-top:var(--s4)}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:3.125rem;padding:.7rem 1.6rem;
border:1.5px solid transparent;border-radius:var(--radius);font:inherit;font-weight:620;line-height:1.25;
text-align:center;text-decoration:none;cursor:pointer}
.primary{background:var(--button);color:var(--on-button);box-shadow:0 1px 2px rgb(0 0 0/.12)}
.primary:hover{background:var(--pressed);box-shadow:0 4px 14px -4px rgb(0 0 0/.3)}
.secondary{border-color:var(--edge);color:var(--text)}
.secondary:hover{border-color:var(--text);background:var(--card)}
.button:active{transform:translateY(1px);box-shadow:none}
.button:focus-visible{border-radius:var(--radius)}
@media (max-width:30em){.actions .button,.actions .more{flex:1 1 100%;justify-content:center}}
.more{display:inline-flex;align-items:center;min-height:3.125rem;padding-inline:.4rem;font-weight:620}
"""

PROSE = """
.prose,.lead{max-width:var(--measure)}
.prose>*+*,.lead>*+*{margin-top:.9em}
.prose ul,.prose ol,.lead ul,.lead ol{padding-inline-start:1.3em}
.prose li+li,.lead li+li{margin-top:.4em}
.prose li::marker{color:var(--soft)}
.prose blockquote{padding-inline-start:1.1em;border-inline-start:3px solid var(--line);color:var(--soft)}
.prose strong,.lead strong{font-weight:640;color:var(--text)}
.lead{margin-top:var(--s3);font-size:clamp(1.125rem,1.04rem + .42vw,1.375rem);line-height:1.5;color:var(--soft)}
"""

GRID = """
h2+.grid,h1+.grid{margin-top:var(--s4)}
.grid{display:grid;gap:var(--s4) clamp(1.5rem,1rem + 2vw,3rem)}
@media (min-width:40em){.two,.four{grid-template-columns:repeat(2,minmax(0,1fr))}}
@media (min-width:48em){.three{grid-template-columns:repeat(3,minmax(0,1fr))}}
@media (min-width:64em){.four{grid-template-columns:repeat(4,minmax(0,1fr))}}
"""

ITEMS = """
.features h2,.steps h2,.features h1,.steps h1{max-width:22em}
.item+.prose{margin-top:.5rem}
.grid .media{margin-bottom:var(--s3)}
.grid .media img{width:100%;aspect-ratio:3/2;object-fit:cover;border-radius:var(--radius)}
.sign{margin-bottom:var(--s2)}
.icon{width:3rem;height:3rem;object-fit:contain}
"""

SPLIT = """
.media img{width:100%;border-radius:calc(var(--radius)*1.4)}
.split{display:grid;gap:var(--s4)}
@media (min-width:56em){.split{grid-template-columns:minmax(0,1.06fr) minmax(0,1fr);gap:clamp(3rem,6vw,5.5rem);
align-items:center}}
"""

CARD = """
.card{padding:clamp(1.5rem,1.1rem + 1.8vw,2.5rem);background:var(--card);border:1px solid var(--line);
border-radius:calc(var(--radius)*1.4);box-shadow:var(--shadow)}
"""

ASIDE = """
.aside{display:grid;gap:var(--s3)}
@media (min-width:56em){.aside{grid-template-columns:minmax(0,1fr) minmax(0,1.85fr);gap:clamp(2.5rem,6vw,5rem)}
.aside>h2{position:sticky;top:var(--s4);align-self:start}}
"""

FIGURE = """
figure>img,figure>video{width:100%;border-radius:calc(var(--radius)*1.4)}
.image figcaption,.video figcaption{margin-top:var(--s2);font-size:.9375em;color:var(--soft)}
"""
