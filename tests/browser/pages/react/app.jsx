// A small shop page in React: texts, an attribute, a list, and handlers that change what is shown.

import { useEffect, useState } from 'react';

export const App = () => {
  const [count, setCount] = useState(0);
  const [open, setOpen] = useState(true);
  const [items, setItems] = useState(['a', 'b', 'c']);
  useEffect(() => {
    window.hydrated = true;
  }, []);
  return (
    <main>
      <h1>Original title</h1>
      <p className="price">
        Price {10 + count}
      </p>
      <h2>{`Count ${count}`}</h2>
      <a className="link" href={`/original-${count}`}>
        Details
      </a>
      {open && <aside>Banner</aside>}
      <ul>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
      <button id="buy" onClick={() => setCount(count + 1)}>
        Buy
      </button>
      <button id="toggle" onClick={() => setOpen(!open)}>
        Toggle
      </button>
      <button id="rotate" onClick={() => setItems([...items.slice(1), items[0]])}>
        Rotate
      </button>
      <output>{count}</output>
    </main>
  );
};
