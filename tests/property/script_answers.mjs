// Reads a JSON array of scripts; answers, for each, whether this engine takes it as the body of a function.

import { readFileSync } from 'node:fs';

const takes = (body) => {
  try {
    new Function(body);
    return true;
  } catch {
    return false;
  }
};

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(takes)));
