#!/usr/bin/env bash
# The gate, in the order in which it is cheapest to fail. With `check` it stops before browsers, stacks and containers.
# Arguments after that go to every pytest run. The last line sums up all of them in pytest's words.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONPATH=shared:functions:. AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1}
gate=all
[ "${1:-}" != check ] || { gate=check; shift; }

say() { printf '\n\033[1m== %s (%d s)\033[0m\n' "$1" "$SECONDS"; }

say "lint, types, imports, template"
tools/lint.sh
say "storefront SDK in Node"
npm --prefix shared/abtest/storefront test --silent
say "npm package for shops: tests, packed files"
npm --prefix clients/javascript test --silent
say "pytest: units, contracts, integration"
.venv/bin/python -m tools.gate run check -- "$@"
check_seconds=$SECONDS
if [ "$gate" = check ]; then
  exec .venv/bin/python -m tools.gate close check --check-seconds "$check_seconds"
fi
say "sam build and sizes"
tools/sam/build.sh
say "built functions in containers"
tools/sam/invoke.sh
say "pytest: stories, faults, browsers, stacks"
.venv/bin/python -m tools.gate run long waiting -- "$@"
exec .venv/bin/python -m tools.gate close check long waiting --check-seconds "$check_seconds" --seconds "$SECONDS"
