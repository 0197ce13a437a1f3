// A page of a shop that shows an experiment and a flag by React alone.

import { useEffect, useState } from 'react';
import { track } from '@abtest/storefront';
import { StorefrontProvider, useDecided, useExperiment, useFlag } from '@abtest/storefront/react';

const EXPERIMENT = '0192a3b4-0000-7000-8000-000000000001';

const Shop = () => {
  const variation = useExperiment(EXPERIMENT);
  const limit = useFlag('limit', 3);
  const isDecided = useDecided();
  const [count, setCount] = useState(0);
  const title = variation?.variationIndex === 1 ? 'New title' : 'Original title';
  if (typeof window !== 'undefined') (window.rendered ??= []).push(title);
  useEffect(() => {
    window.hydrated = true;
  }, []);
  const buy = () => {
    setCount(count + 1);
    track('add_to_cart', { sku: 'mug' });
  };
  return (
    <main>
      <h1>{title}</h1>
      <p>{`limit ${limit}, variation ${variation?.variationId}`}</p>
      <button onClick={buy}>Buy</button>
      <output>{`${count} ${isDecided}`}</output>
    </main>
  );
};

export const App = ({ bootstrap }) => (
  <StorefrontProvider bootstrap={bootstrap}>
    <Shop />
  </StorefrontProvider>
);
