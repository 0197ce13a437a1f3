// Users a second through experiments that standard input describes: ours, GrowthBook and Amplitude in turn, one process.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { EvaluationEngine } from '@amplitude/experiment-core';
import { GrowthBook, GrowthBookClient } from '@growthbook/growthbook';

const { source, parts, config, growthbook, amplitude, shoppers, rounds, milliseconds } = JSON.parse(readFileSync(0, 'utf8'));
const { decide } = await import(pathToFileURL(`${source}/decide.js`));
for (const part of parts) await import(pathToFileURL(`${source}/${part}.js`)); // they announce themselves

const now = 1766275200000;
const instance = new GrowthBook({ enableDevMode: false });
const client = new GrowthBookClient({});
const engine = new EvaluationEngine();

/** Each side answers which variation of which experiment a shopper is in. */
const sides = {
  ours: ({ attributes, url }) => {
    const found = {};
    const { assignments } = decide(config, { id: attributes.id, attributes }, new URL(url), now);
    for (const { experiment, index, active } of assignments) if (active) found[experiment.id] = index;
    return found;
  },
  growthbook: ({ attributes, url }) => {
    const found = {};
    instance.setAttributes({ ...attributes, url });
    for (const each of growthbook) {
      const { inExperiment, variationId } = instance.run(each);
      if (inExperiment) found[each.key] = variationId;
    }
    return found;
  },
  growthbook_client: ({ attributes, url }) => {
    const found = {};
    const context = { attributes: { ...attributes, url } };
    for (const each of growthbook) {
      const { inExperiment, variationId } = client.runInlineExperiment(each, context);
      if (inExperiment) found[each.key] = variationId;
    }
    return found;
  },
  amplitude: ({ attributes, url }) => engine.evaluate({ user: { ...attributes, user_id: attributes.id, url } }, amplitude),
};

let placed = 0;
for (const shopper of shoppers.slice(0, 100)) {
  const [ours, ...theirs] = [sides.ours, sides.growthbook, sides.growthbook_client].map((side) => side(shopper));
  for (const other of theirs) {
    const same = Object.keys(ours).length === Object.keys(other).length;
    if (!same || Object.keys(ours).some((key) => ours[key] !== other[key])) throw new Error('the answers differ');
  }
  placed += Object.keys(ours).length - Object.keys(sides.amplitude(shopper)).length;
}
if (Math.abs(placed) > 500) throw new Error('Amplitude places others than we do');

const processorSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** By the processor's time, garbage collection on other threads included: what else runs here costs nobody anything. */
let turn = 0;
const speed = (side) => {
  const begun = processorSeconds();
  let users = 0;
  let taken = 0;
  do {
    for (let i = 0; i < 50; i++) side(shoppers[turn++ % shoppers.length]);
    users += 50;
    taken = processorSeconds() - begun;
  } while (taken * 1000 < milliseconds);
  return users / taken;
};

for (const side of [...Object.values(sides), ...Object.values(sides), ...Object.values(sides)]) speed(side); // warm
const speeds = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, side] of Object.entries(sides)) speeds[name].push(speed(side));
}
console.log(JSON.stringify({ speeds, megabytes: process.memoryUsage().rss / 2 ** 20 }));
