// A page of a shop: a style sheet of its own, a part with state, and a part that the server sends later.

import { Suspense, use, useEffect, useState } from 'react';

const price = new Promise((done) => {
  if (typeof window === 'undefined') setTimeout(done, 50, 'Original price');
  else done('Original price');
});

const Late = () => <h2>{use(price)}</h2>;

export const Page = () => {
  const [count, setCount] = useState(0);
  useEffect(() => {
    window.hydrated = true;
  }, []);
  return (
    <main>
      <link rel="stylesheet" href="/_next/static/css/app.css" precedence="next" />
      <title>Shop</title>
      <h1>Original title</h1>
      <button id="buy" onClick={() => setCount(count + 1)}>
        Buy
      </button>
      <output>{count}</output>
      <Suspense fallback={<p>…</p>}>
        <Late />
      </Suspense>
    </main>
  );
};
