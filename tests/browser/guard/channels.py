"""Ways in which a page can make a browser reach an address: each as HTML or script, with `$` for address and name."""

# ruff: noqa: E501

HTML = {
    "img": "<img src='$'>",
    "srcset": "<img srcset='$ 1x, $ 2x'>",
    "picture": "<picture><source srcset='$'><img alt=''></picture>",
    "input-image": "<input type=image src='$'>",
    "svg-image": "<svg><image href='$' width=9 height=9 /></svg>",
    "svg-filter": "<svg width=9 height=9><filter id=f><feImage href='$'/></filter><rect width=9 height=9 filter='url(#f)'/></svg>",
    "body-background": "<table background='$'><tr><td>x</table>",
    "script": "<script src='$'></script>",
    "module": "<script type=module src='$'></script>",
    "stylesheet": "<link rel=stylesheet href='$'>",
    "preload": "<link rel=preload as=image href='$'>",
    "prefetch": "<link rel=prefetch href='$'>",
    "modulepreload": "<link rel=modulepreload href='$'>",
    "css-import": "<style>@import url('$');</style>",
    "css-background": "<div style=\"background:url('$')\">x</div>",
    "css-list": "<ul><li style=\"list-style-image:url('$')\">x</ul>",
    "css-content": "<style>#content::before{content:url('$')}</style><p id=content>",
    "css-mask": "<div style=\"mask-image:url('$')\">x</div>",
    "css-border": "<div style=\"border:9px solid;border-image:url('$') 9\">x</div>",
    "css-image-set": "<div style=\"background:image-set('$' 1x)\">x</div>",
    "css-font": "<style>@font-face{font-family:v;src:url('$')}</style><p style='font-family:v'>x",
    "iframe": "<iframe src='$'></iframe>",
    "iframe-srcdoc": "<iframe srcdoc=\"<img src='$'>\"></iframe>",
    "iframe-refresh": "<iframe srcdoc=\"<meta http-equiv=refresh content='0;url=$'>\"></iframe>",
    "iframe-script": "<iframe srcdoc=\"<script>location='$'</script>\"></iframe>",
    "object": "<object data='$'></object>",
    "embed": "<embed src='$'>",
    "video": "<video src='$' preload=auto></video>",
    "poster": "<video poster='$'></video>",
    "audio": "<audio src='$' preload=auto></audio>",
    "track": "<video crossorigin><track default src='$'></video><script>document.querySelectorAll('track').forEach(t=>t.track.mode='showing')</script>",
    "form": "<iframe name=form></iframe><form target=form method=post action='$'></form><script>document.forms[0].submit()</script>",
    "speculation": '<script type=speculationrules>{"prefetch":[{"urls":["$"],"eagerness":"immediate"}]}</script>',
}
SCRIPT = {
    "fetch": "fetch('$').catch(()=>{})",
    "fetch-no-cors": "fetch('$',{mode:'no-cors',method:'POST',body:'x',keepalive:true}).catch(()=>{})",
    "xhr": "x=new XMLHttpRequest();x.open('GET','$');x.send()",
    "beacon": "navigator.sendBeacon('$','x')",
    "event-source": "new EventSource('$')",
    "web-socket": "new WebSocket('$'.replace('http','ws'))",
    "image-object": "new Image().src='$'",
    "font-face": "new FontFace('w',\"url('$')\").load().catch(()=>{})",
    "import": "import('$').catch(()=>{})",
    "worker-fetch": "new Worker(URL.createObjectURL(new Blob([\"fetch('$').catch(()=>{})\"])))",
    "worker-import": "new Worker(URL.createObjectURL(new Blob([\"importScripts('$')\"])))",
    "shared-worker": "new SharedWorker(URL.createObjectURL(new Blob([\"fetch('$').catch(()=>{})\"])))",
    "ping": "a=document.createElement('a');a.href='#x';a.ping='$';document.body.append(a);a.click()",
    "redirect": "fetch('/redirect?$',{mode:'no-cors'}).catch(()=>{})",
    "localhost": "fetch('$'.replace('127.0.0.1','localhost'),{mode:'no-cors'}).catch(()=>{})",
    "name-below-localhost": "fetch('$'.replace('127.0.0.1','a.localhost'),{mode:'no-cors'}).catch(()=>{})",
    "decimal-address": "fetch('$'.replace('127.0.0.1','2130706433'),{mode:'no-cors'}).catch(()=>{})",
    "hex-address": "fetch('$'.replace('127.0.0.1','0x7f.1'),{mode:'no-cors'}).catch(()=>{})",
    "mapped-address": "fetch('$'.replace('127.0.0.1','[::ffff:127.0.0.1]'),{mode:'no-cors'}).catch(()=>{})",
}
"""Channels whose requests the victim can tell apart by their path."""

SOCKETS = {
    "stun": "p=new RTCPeerConnection({iceServers:[{urls:'stun:@'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))",
    "turn": "q=new RTCPeerConnection({iceServers:[{urls:'turn:@?transport=tcp',username:'u',credential:'c'}]});"
    "q.createDataChannel('x');q.createOffer().then(o=>q.setLocalDescription(o))",
    "web-transport": "t=new WebTransport('https://@/');t.ready.catch(()=>{});t.closed.catch(()=>{})",
}
"""Channels that are not HTTP over TCP, in variables of their own, so that none is collected; `@` is host and port. Each has a victim of its own."""

UNSURE = {
    "service-worker": "navigator.serviceWorker.register('/worker.js?$').catch(()=>{})",
    "fetch-later": "window.fetchLater&&fetchLater('$',{activateAfter:0})",
    "download": "f=document.createElement('iframe');f.name='saved';d=document.createElement('a');d.href='$';d.download='x';d.target='saved';document.body.append(f,d);d.click()",
    "preconnect": "l=document.createElement('link');l.rel='preconnect';l.href='$';document.head.append(l)",
    "popup": "window.open('$')",
    "zero-address": "fetch('$'.replace('127.0.0.1','0.0.0.0'),{mode:'no-cors'}).catch(()=>{})",
    "favicon": "l=document.createElement('link');l.rel='icon';l.href='$';document.head.append(l)",
    "manifest": "l=document.createElement('link');l.rel='manifest';l.href='$';document.head.append(l)",
    "dns-prefetch": "l=document.createElement('link');l.rel='dns-prefetch';l.href='$';document.head.append(l)",
    "fetch-ipv6": "fetch('$'.replace('127.0.0.1','[::1]'),{mode:'no-cors'}).catch(()=>{})",
}
"""Channels that depend on version, settings or machine: the guard has to hold them, the control does not see them all."""


def page(address: str, others: dict[str, str]) -> str:
    """Return a page that tries them all. `others` are host and port by name of a socket's channel."""

    def at(text: str, name: str) -> str:
        return text.replace("$", f"{address}/{name}")

    html = "\n".join(at(text, name) for name, text in HTML.items())
    scripts = [text.replace("@", others[name]) for name, text in SOCKETS.items()]
    scripts += [at(text, name) for name, text in (SCRIPT | UNSURE).items()]
    each = "\n".join(f"<script>try{{{script}}}catch(error){{}}</script>" for script in scripts)
    return f"<!doctype html><html><head><title>x</title></head><body>{html}\n{each}</body></html>"
