"""Scripts of every edition, right and wrong: what a checker is asked and what browsers are asked about it."""

from random import Random

PLAIN = r"""
return 1
let a = 1; const b = 2; var c = a + b
const {a, ...rest} = x; return rest
const [a, , b = 2, ...c] = x
(a, b = 1, {c, d: [e]} = {}, ...f) => a
async () => { for await (const x of y) await z }
async function* g() { yield* h(); await 1 }
function* g() { const x = yield; yield x }
class A extends B { constructor() { super() } get a() { return super.a } static b() {} async *c() {} }
a?.b?.[c]?.(d)
a ?? b
(a || b) ?? c
x ** 2
label: for (;;) { continue label }
switch (a) { case 1: break; default: }
try { a } catch { b } finally { c }
`a${`b${c}`}d`
tag`\unicode`
0b11 + 0o17 + 0xff + 1e3 + .5 + 5.
10n ** 2n
/(?<year>\d{4})-\k<year>/u
/\p{Script=Greek}/u
/a(?=b)(?!c)/giumsy
var let_ = 1, async = 2, of = 3, get = 4, static_ = 5
var yield_ = 1; var await = 1
with (a) { b }
if (a) function f() {}
function f(a, a) {}
delete x
010 + 08
"\08"
x = 1
--> a comment of old
<!-- another
import('x').then(y => y)
new.target
({ __proto__: null, ["__proto__"]: 1 })
({ a, b() {}, get c() { return 1 }, set c(v) {}, async d() {}, *e() {}, async *f() {} })
debugger
'use strict'; return this
var a\u0062c = 1
var 変数 = 1
/[/]/.test('/')
a = b / c / d
a++ / 2
x = {} / 2
if (a) /re/.exec(b)
do x++; while (x < 5) y
throw new Error('x')
(function () { 'use strict' })()
!function () {}()
void 0, typeof a, a instanceof b, a in b
for (const x of [1, 2]) for (var y in x);
for (let i = 0, n = 5; i < n; i++);
for (let in {});
for (async of => {};;) break
let x; { let x; var y }
(async) => 1
yield
arguments.length
eval('1')
var undefined
a = function b() { b = 1 }
f`a``b`
a?.5:1
x = y
(z)
""".strip("\n").split("\n")

YOUNG = r"""
a ??= b; c ||= d; e &&= f
1_000_000
class A { #a = 1; b = 2; static c = 3; #d() {} get #e() { return 1 } static #f() {} }
class A { static { this.a = 1 } }
class A { #x; has(y) { return #x in y } }
/(?<=a)b(?<!c)d/
/a/d
/[\p{L}--[a-z]]/v
class A { 'a' = 1; [b] = 2; static async *#g() {} }
class A { a; b; c }
""".strip("\n").split("\n")

TOO_NEW = r"""
using a = b
{ using a = b }
async () => { await using a = b }
for (using a of b);
/(?i:a)b/
/(?-i:a)/i
/(?<a>x)|(?<a>y)/
import('x', { with: { type: 'json' } })
import defer * as x from 'y'
@decorator class A {}
class A { @logged method() {} }
class A { accessor x = 1 }
a |> b
do { 1 } + 1
#{ a: 1 }
throw_ => throw 1
""".strip("\n").split("\n")

BROKEN = r"""
a = ;
}
{
)
} evil(); {
}); evil(); (function () {
} + function () {
}, function () {
})
/*
`
`${
'
"a
/a
/(/
/[/
/(?<a>.)(?<a>.)/
/(?<a/
/\k<b>(?<a>.)/
/\u{110000}/u
/\p{Nope}/u
/a{2,1}/
/[b-a]/
/a/gg
/a/x
/(?<=a)+/u
/a**/
let a; let a
let a; var a
const a
const a = 1; const a = 2
let let = 1
function f() { let a; var a }
class A { constructor() {} constructor() {} }
class A { #a; #a }
class A { b() { this.#c } }
class A { constructor() { super() } }
super.x
super()
import x from 'y'
import { x } from 'y'
export default 1
export const a = 1
import.meta
await 1
async () => { await }
async (await) => 1
function* g() { yield = 1 }
function* g(a = yield) {}
break
continue
for (;;) { break nowhere }
for (;;) { (() => { break })() }
a: a: 1
1 = 2
1++
++a++
a?.b = 1
a?.`x`
new a?.b()
f() = 1
(a, b) = 1
({ a }) = 1
[a + 1] = 2
({ a = 1 })
({ a: 1, a }) => 1
(a, a) => 1
({ get a(b) {} })
({ set a() {} })
({ __proto__: 1, "__proto__": 2 })
"use strict"; with (a) {}
"use strict"; 010
"use strict"; delete a
"use strict"; var eval
"use strict"; arguments = 1
"use strict"; function f(a, a) {}
"use strict"; "\08"
"use strict"; var static
"use strict"; var yield
function f(a = 1) { "use strict" }
(a = 1) => { "use strict" }
a ?? b || c
a && b ?? c
-a ** 2
async () => -await a ** 2
if (a) let b
if (a) let
[b] = 1
if (a) class B {}
if (a) const b = 1
while (a) async function f() {}
label: function* g() {}
label: let
x
for (let a, b of c);
for (let a = 1 of b);
for (const a;;);
for (let of b);
for (async of b);
for await (a of b);
switch (a) { case 1: let b; case 2: let b }
try { }
try {} catch (a) { let a }
throw
1
return
1 2
a b
3in []x
3a
0b2
0xg
1__0
1_
_1_ 0_1
01n
1.5n
\u0061wait: \u0069f (a);
var v\u{61}r; v\u{61}r x
cl\u0061ss A {}
"\u{110000}"
"\x1"
`\u`
'a
b'
var 1a
var if
var a.b
function () {}
function f( {}
function f(...a, b) {}
(...a, b) => 1
(a, ...b,) => 1
a => {} ()
a
=> b
() + 1
async a
=> b
new.foo
enum A {}
var enum
class A extends B, C {}
class let {}
class A { get constructor() {} }
class A { static prototype() {} }
class A { #constructor }
class A { a = arguments }
class A { static { await } }
class A { static { return } }
class A { delete() { delete this.#a } #a }
({ async *[Symbol.iterator] })
@
#
#a
a.#b
\
...a
?.a
**2
=>
""".strip("\n").split("\n")

SAMPLES = [*PLAIN, *YOUNG, *TOO_NEW, *BROKEN]
_TOKENS = r"""
{ } ( ) [ ] / ` ' " \ => ?. ?? # ... * 1 1n _ <!-- --> // /* */ (?<a> (?<= (?i: u v ; , : = @ super import(
"""
_PIECES = [
    *_TOKENS.split(),
    *("\n", "\u2028", "let ", "async ", "await ", "yield ", "class ", "static ", "using ", "of ", "in ", "new.target"),
]


def mutants(seed: int, count: int) -> list[str]:
    """Samples with pieces taken out, put in, doubled, and joined to others."""
    random = Random(seed)
    made = []
    for _ in range(count):
        text = random.choice(SAMPLES) + random.choice(["", "", "\n" + random.choice(SAMPLES)])
        for _ in range(random.randint(1, 3)):
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice([*_PIECES, ""]) + text[at + random.choice([0, 0, 1, 3]) :]
        made.append(text)
    return made
