// Styles of the bar, in a shadow root: none of the page's come in, none go out.

export const STYLES = `
:host{all:initial;position:fixed;z-index:2147483647;inset:auto auto 12px 12px;max-width:calc(100vw - 24px);
color-scheme:light dark;--ink:#17202a;--dim:#586573;--line:#d9dfe5;--paper:#fff;--tint:#f3f6f9;--accent:#3454d1;
--on:#0b6e4f;--on-tint:#e2f4ec;--off:#8a4b08;--off-tint:#fdf1e0;--bad:#a4161a;--bad-tint:#fde8e8;
font:14px/1.45 system-ui,sans-serif;color:var(--ink);pointer-events:none}
@media (prefers-color-scheme:dark){:host{--ink:#e9eef3;--dim:#a3b0bd;--line:#3a4651;--paper:#1b232b;--tint:#242e38;
--accent:#9db2ff;--on:#7fe0b8;--on-tint:#153629;--off:#f3c583;--off-tint:#3a2b14;--bad:#ffb0b0;--bad-tint:#431a1b}}
@media print{:host{display:none}}
*{box-sizing:border-box}
[hidden]{display:none!important}
.bar,.panel{pointer-events:auto;background:var(--paper);border:1px solid var(--line);border-radius:12px;
box-shadow:0 2px 6px rgb(0 0 0/.12),0 12px 40px rgb(0 0 0/.18)}
.bar{display:flex;align-items:center;gap:4px;padding:4px 4px 4px 12px;width:fit-content;max-width:min(100%,440px)}
.title{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;padding-right:8px}
.title b{font-weight:600}
.panel{width:440px;max-width:100%;height:min(560px,calc(100dvh - 84px));margin-bottom:8px;display:flex;
flex-direction:column;overflow:hidden}
button,select,input,textarea{font:inherit;color:inherit;border:1px solid var(--line);border-radius:8px;
background:var(--paper);min-height:36px;padding:4px 10px}
button{cursor:pointer}
button:hover{background:var(--tint)}
.quiet{border-color:transparent;background:none}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
[role=tablist]{display:flex;gap:2px;padding:6px 6px 0;border-bottom:1px solid var(--line);overflow-x:auto;flex:none}
[role=tab]{border:0;border-radius:8px 8px 0 0;background:none;color:var(--dim);white-space:nowrap;padding:4px 9px}
[role=tab][aria-selected=true]{color:var(--ink);font-weight:600;box-shadow:inset 0 -2px var(--accent)}
[role=tabpanel]{flex:1;overflow:auto;padding:12px;overscroll-behavior:contain}
.foot{display:flex;gap:8px;align-items:center;padding:8px 12px;border-top:1px solid var(--line);flex-wrap:wrap}
h2{font-size:13px;margin:16px 0 6px;color:var(--dim);font-weight:600}
h2:first-child{margin-top:0}
p{margin:0 0 8px}
ul{list-style:none;margin:0;padding:0}
.card{border:1px solid var(--line);border-radius:10px;padding:10px;margin-bottom:8px}
.card header{display:flex;gap:8px;align-items:baseline;justify-content:space-between}
.card h3{font-size:14px;margin:0;font-weight:600;overflow-wrap:anywhere}
.card p{margin:4px 0 0;overflow-wrap:anywhere}
.dim{color:var(--dim)}
.tag{border-radius:999px;padding:1px 9px;font-size:12px;white-space:nowrap;flex:none;max-width:60%;overflow:hidden;
text-overflow:ellipsis}
.on{background:var(--on-tint);color:var(--on)}
.off{background:var(--off-tint);color:var(--off)}
.bad{background:var(--bad-tint);color:var(--bad)}
.notice{border-radius:10px;padding:10px;margin-bottom:10px}
label{display:block;margin-top:8px;color:var(--dim);font-size:13px}
label select,label input{display:block;width:100%;margin-top:2px;color:var(--ink);font-size:14px}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:4px 8px 4px 0;border-bottom:1px solid var(--line);font-weight:400}
th{color:var(--dim);white-space:nowrap}
td{overflow-wrap:anywhere}
code{font:12px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media (max-width:520px){:host{inset:auto 8px 8px 8px;max-width:none}.panel{width:100%;height:min(70dvh,560px)}
.bar{width:100%;max-width:none}button,select,input{min-height:44px}}
`;
