#!/usr/bin/env bash
# Builds the console into layers/console/console_files. With --check it also checks types, lint and budgets, and runs its unit tests.
set -euo pipefail
cd "$(dirname "$0")/../console"
node tools/schema.mjs
node tools/build.mjs
if [ "${1:-}" = --check ]; then
  node tools/budgets.mjs
  npm run --silent check
  npm test --silent
fi
