"""Rules of the style sheet by block, and which rules a page needs."""

from abtest.domain.pages import page_styles

_HERO = """
.hero .solo{max-width:54rem;margin-inline:auto;text-align:center}
.hero .solo .lead{margin-inline:auto}
.hero .solo .actions{justify-content:center}
.hero .solo .lead :is(ul,ol,blockquote){text-align:start}
.hero:first-child{padding-top:clamp(3rem,2rem + 5vw,6.5rem)}
"""

_STEPS = """
.steps ol{counter-reset:step}
.steps li{position:relative;counter-increment:step}
.steps li::before{content:counter(step);display:grid;place-items:center;width:2.75rem;height:2.75rem;
border:1.5px solid var(--edge);border-radius:50%;background:var(--surface);color:var(--link);
font-weight:680;font-variant-numeric:tabular-nums}
.steps .column{display:grid;max-width:46rem}
.steps .column li{padding-inline-start:4.25rem;padding-bottom:var(--s4)}
.steps .column li::before{position:absolute;inset-inline-start:0;top:-.55rem}
.steps .column li:not(:last-child)::after{content:"";position:absolute;inset-inline-start:1.375rem;top:2.9rem;
bottom:1.25rem;width:1px;background:var(--line)}
.steps .column li:last-child{padding-bottom:0}
.steps .row li::before{margin-bottom:var(--s2)}
.steps .row .media{margin-top:var(--s2)}
@media (max-width:47.99em){.steps .row{gap:0;grid-template-columns:none}
.steps .row li{padding-inline-start:4.25rem;padding-bottom:var(--s4)}
.steps .row li:last-child{padding-bottom:0}
.steps .row li::before{position:absolute;inset-inline-start:0;top:-.55rem}
.steps .row li:not(:last-child)::after{content:"";position:absolute;inset-inline-start:1.375rem;top:2.9rem;
bottom:1.25rem;width:1px;background:var(--line)}}
@media (min-width:48em){.steps .row{grid-auto-flow:column;grid-template-columns:none;
grid-auto-columns:minmax(0,1fr)}
.steps .row li:not(:last-child)::after{content:"";position:absolute;top:1.375rem;inset-inline-start:3.75rem;
inset-inline-end:-1rem;height:1px;background:var(--line)}}
"""

_PRODUCT = """
.product .split{padding:0;overflow:hidden;gap:0}
.product .split>:last-child{padding:clamp(1.5rem,1.1rem + 1.8vw,2.5rem)}
.product .split .media{align-self:stretch}
.product .media img{height:100%;border-radius:0;object-fit:cover}
.price{margin-block:var(--s2) var(--s3);font-size:clamp(1.5rem,1.35rem + .7vw,2rem);font-weight:640;
letter-spacing:-.02em;font-variant-numeric:tabular-nums}
@media (min-width:56em){.product .split{gap:0}
.product .split>:last-child{padding:clamp(2.5rem,4vw,4rem)}}
"""

_COMPARISON = """
table{width:100%;table-layout:fixed;margin-top:var(--s4);border-collapse:collapse;font-size:.9688em;line-height:1.45}
th,td{padding:1rem 1.25rem;text-align:start;vertical-align:top;font-weight:400}
thead th{padding-block:.9rem;font-weight:660;border-bottom:2px solid var(--text);vertical-align:bottom}
thead td{border-bottom:2px solid var(--text)}
tbody th{width:30%;padding-inline-start:0;font-weight:560}
tbody td{color:var(--soft)}
tbody tr>*{border-bottom:1px solid var(--line)}
.yes,.no{forced-color-adjust:none;display:inline-block;position:relative;width:1.5rem;height:1.5rem;vertical-align:middle}
.yes{border-radius:50%;background:var(--button)}
.yes::after{content:"";position:absolute;left:.53rem;top:.3rem;width:.4rem;height:.72rem;
border:solid var(--on-button);border-width:0 .14rem .14rem 0;transform:rotate(42deg)}
.no::after{content:"";position:absolute;left:.35rem;top:.7rem;width:.8rem;height:.12rem;background:var(--edge)}
@media (max-width:47.99em){table,thead,tbody,tr,th,td{display:block}
tr{display:grid;grid-template-columns:repeat(var(--n),minmax(0,1fr));column-gap:.875rem}
.of2{--n:2}.of3{--n:3}.of4{--n:4}
thead td{display:none}
thead tr{position:sticky;top:0;z-index:1;background:var(--surface);border-bottom:2px solid var(--text)}
thead th{padding:.7rem 0;border:0;font-size:.875rem;align-self:end}
tbody tr{padding-block:.9rem 1rem;border-bottom:1px solid var(--line)}
tbody th{grid-column:1/-1;width:auto;padding:0 0 .35rem;border:0;font-size:.9375rem}
tbody td{padding:0;border:0;font-size:.9375rem;overflow-wrap:anywhere;hyphens:auto}
.of4 :is(thead th,tbody td){font-size:.8125rem}
tbody tr>*{border:0}}
"""

_TESTIMONIALS = """
.testimonials .grid{align-items:stretch}
@media (max-width:59.99em){.testimonials .three{grid-template-columns:none}}
.testimonials figure{display:flex;flex-direction:column;gap:var(--s3);height:100%}
.testimonials blockquote{flex:1}
.testimonials blockquote::before{content:"\\201C";display:block;height:.62em;color:var(--link);
font:700 4rem/1 Georgia,"Times New Roman",serif;margin-inline-start:-.03em}
.testimonials figcaption{display:flex;align-items:center;gap:.8rem;font-weight:600;font-size:.9375em}
.initials{flex:none;display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:50%;
background:var(--button);color:var(--on-button);font-size:.875rem;font-weight:660;letter-spacing:.02em}
.single{max-width:52rem;margin-inline:auto;text-align:center}
.single .card{padding:0;border:0;background:none;box-shadow:none}
.single .prose{max-width:none;font-size:clamp(1.375rem,1.15rem + 1.1vw,2rem);line-height:1.35;letter-spacing:-.015em}
.single figcaption{justify-content:center}
.single blockquote::before{height:.7em;font-size:5rem}
"""

_STATS = """
.stats dl{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:var(--s4) var(--s3)}
.stats dl>div{display:flex;flex-direction:column-reverse;justify-content:flex-end;gap:.35rem;
padding-inline-start:var(--s3);border-inline-start:2px solid var(--line)}
.stats dd{color:var(--link);font-size:clamp(1.625rem,1.15rem + 2vw,2.75rem);line-height:1.05;font-weight:680;
letter-spacing:-.035em;font-variant-numeric:tabular-nums}
.stats dt{color:var(--soft);line-height:1.4}
@media (max-width:24em){.stats dl{grid-template-columns:minmax(0,1fr)}}
@media (min-width:56em){.stats .of3,.stats .of5,.stats .of6{grid-template-columns:repeat(3,minmax(0,1fr))}
.stats .of4{grid-template-columns:repeat(4,minmax(0,1fr))}
.stats .of4 dd{font-size:clamp(1.75rem,2.9vw,2.25rem)}}
"""

_FAQ = """
details{border-bottom:1px solid var(--line)}
details:first-child{border-top:1px solid var(--line)}
summary{position:relative;padding-block:1.2rem;padding-inline:0 3rem;font-size:1.0625em;font-weight:600;line-height:1.4;
cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary::before,summary::after{content:"";position:absolute;inset-inline-end:.5rem;top:50%;width:.95rem;height:2px;
margin-top:-1px;border-radius:1px;background:var(--link);forced-color-adjust:none}
summary::after{transform:rotate(90deg)}
details[open]>summary::after{transform:rotate(0)}
summary:hover{color:var(--link)}
details>.prose{padding-block:0 1.5rem;padding-inline:0 3rem}
"""

_CTA = """
.cta .panel{display:grid;justify-items:center;text-align:center}
.cta .panel>*{max-width:44rem}
.cta .lead{margin-top:var(--s2)}
.cta .actions{justify-content:center;margin-top:var(--s3)}
.cta .panel.muted{padding:var(--s5) var(--s3);border-radius:calc(var(--radius)*2)}
"""

_FORM = """
.form h2,.form h1{text-align:center}
.form form{display:grid;gap:var(--s3);margin-top:var(--s4)}
.field{display:grid;gap:.4rem}
label{font-weight:600;font-size:.9688em}
label small{font-weight:400;font-size:.9em;color:var(--soft)}
input,select,textarea{width:100%;min-height:3.125rem;padding:.7rem .9rem;border:1.5px solid var(--edge);
border-radius:calc(var(--radius)*.8);background:var(--surface);color:var(--text);font:inherit;line-height:1.4}
select{appearance:none;padding-inline-end:2.5rem;background-repeat:no-repeat;background-size:.4rem .4rem;
background-image:linear-gradient(45deg,transparent 50%,var(--text) 50%),
linear-gradient(-45deg,transparent 50%,var(--text) 50%);
background-position:right 1.3rem center,right .92rem center}
[dir=rtl] select{background-position:left .92rem center,left 1.3rem center}
textarea{resize:vertical}
:is(input,select,textarea):hover{border-color:var(--text)}
:is(input,select,textarea):focus-visible{outline:3px solid var(--link);outline-offset:1px;border-color:transparent}
:is(input,select,textarea):user-invalid{border-color:var(--error);box-shadow:inset 0 0 0 1px var(--error)}
.error{display:none;color:var(--error);font-size:.9em;font-weight:560}
.field:has(:user-invalid)>.error{display:block}
.check{grid-template-columns:1.5rem 1fr;gap:.4rem .75rem;align-items:start}
.check input{width:1.5rem;min-height:0;height:1.5rem;margin:0;padding:0;accent-color:var(--button)}
.check label{font-weight:400}
.check .error{grid-column:1/-1}
.form .actions{margin-top:0}
.form .button{width:100%}
"""

_FOOTER = """
footer{padding-block:var(--s4);border-top:1px solid var(--line);font-size:.9375em}
footer .wrap{display:flex;flex-wrap:wrap;gap:var(--s3) var(--s4);justify-content:space-between}
footer .name{font-weight:640}
footer .soft{max-width:30rem;margin-top:.35rem}
footer ul{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
footer li a{display:inline-block;padding-block:.3rem;color:var(--soft);text-decoration:none}
footer li a:hover{color:var(--text);text-decoration:underline}
"""

PARTS = {
    "prose": page_styles.PROSE,
    "buttons": page_styles.BUTTONS,
    "grid": page_styles.GRID,
    "items": page_styles.ITEMS,
    "split": page_styles.SPLIT,
    "card": page_styles.CARD,
    "aside": page_styles.ASIDE,
    "figure": page_styles.FIGURE,
    "hero": _HERO,
    "steps": _STEPS,
    "product": _PRODUCT,
    "comparison": _COMPARISON,
    "testimonials": _TESTIMONIALS,
    "stats": _STATS,
    "faq": _FAQ,
    "cta": _CTA,
    "form": _FORM,
    "footer": _FOOTER,
    "no-phone": "@media (max-width:47.99em){.no-phone{display:none}}",
    "no-desktop": "@media (min-width:48em){.no-desktop{display:none}}",
}
"""Rules by part, in the order of the sheet: a later part may refine an earlier one."""

SHARED: dict[str, set[str]] = {
    "buttons": {"hero", "product", "cta", "form"},
    "grid": {"features", "steps", "testimonials"},
    "items": {"features", "steps"},
    "split": {"product"},
    "card": {"product", "testimonials", "form"},
    "aside": {"text", "faq", "steps"},
    "figure": {"image", "video"},
}
"""Parts that several types of blocks share."""
