import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markCalls } from '../../shared/abtest/storefront/tools/calls.mjs';
import { cut } from '../../shared/abtest/storefront/tools/parts.mjs';
import { markShared } from '../../shared/abtest/storefront/tools/shared_code.mjs';

const PARTS = '/*flags*/p.a=e=>e;/*/flags*//*views*/p.b=e=>e;/*/views*/';
const bundled = (core) => `(()=>{var p={};${core};${PARTS}return x})()`;
const alone = (name) => new Set([name]);

/** The core after cutting `flags`, whose call is `p.a`, but not `views`, whose call is `p.b`. */
const withoutFlags = (core) => {
  const whole = bundled(core);
  const marked = markShared(markCalls(whole, alone));
  assert.equal(cut(marked, new Set(['flags', 'views'])), whole.replace(/\/\*.*?\*\//g, ''), 'nothing goes but marks');
  return cut(marked, alone('views')).replace(/^.*?var p=\{\};|;?p\.b=.*$/g, '');
};

const CASES = {
  'a statement': ['f();p.a?.(1);g()', 'f();g()'],
  'a condition of the config': ['if(c.flags)p.a(1);f()', 'f()'],
  'the body of a loop': ['for(let e of c.list)p.a?.(e);f()', 'f()'],
  'an item of a sequence': ['f(),p.a?.(1),p.b?.(1)', 'f(),p.b?.(1)'],
  'the last item': ['c&&(f(),p.a?.(1));g()', 'c&&(f());g()'],
  'a value by ||': ['var x=p.a?.(1)||f()', 'var x=f()'],
  'a value by ?:': ['var x=c?p.a(1):f()', 'var x=f()'],
  'its own presence': ['var x=p.a?p.a(1):f()', 'var x=f()'],
  'the other branch': ['var x=null==c?f():p.a(c)', 'var x=f()'],
  'truth by &&': ['var x=()=>f()&&(!c||p.a(c))', 'var x=()=>f()'],
  'truth by !': ['var x=()=>!(c&&p.a(c))&&f()', 'var x=()=>f()'],
  'a guard': ['if(!p.a?.(1)){f()}', '{f()}'],
  'a property': ['var x={y:1,z:p.a}', 'var x={y:1}'],
  'another part': ['p.b?.(1)', 'p.b?.(1)'],
};

for (const [what, [before, after]] of Object.entries(CASES)) {
  test(`cutting a part cuts what calls it: ${what}`, () => assert.equal(withoutFlags(before), after));
}

test('a call whose surroundings have effects or values of their own stays', () => {
  const objects = ['()=>p.a?.(1)||{}', '()=>p.a?p.a(1):{y:1}.y'];
  for (const value of [...objects, 'f()?p.a(1):2', '(f(),p.a?.(1))', 'f(p.a?.(1))', '()=>p.a?.(1)', 'f()&&p.a(1)']) {
    assert.equal(withoutFlags(`var x=${value}`), `var x=${value}`);
  }
});

test('what core declares for one part goes with it, with all that only this needs', () => {
  const core = 'var x=1,y=e=>e,z=e=>y(e);p.a?.(z)';
  assert.equal(withoutFlags(core), 'var x=1');
});

test('what core declares for two parts stays while there is one of them', () => {
  const core = 'var x=1,y=e=>e;p.a?.(y);p.b?.(y)';
  assert.equal(withoutFlags(core), 'var x=1,y=e=>e;p.b?.(y)');
});

test('what is taken out of an object for one part is not taken out without it', () => {
  const core = 'var x=({w:w,y:y,z:z})=>(f(w),p.b?.(y),z&&p.a(z),1);f(({y:y,z:z})=>z)';
  assert.equal(withoutFlags(core), 'var x=({w:w,y:y})=>(f(w),p.b?.(y),1);f(({y:y,z:z})=>z)');
  assert.equal(withoutFlags('f(({y:y,...z})=>(p.a?.(y),z))'), 'f(({y:y,...z})=>(z))', 'a rest is of what is left');
});
