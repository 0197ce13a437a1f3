#!/usr/bin/env bash
# Everything that CI runs, in the order in which it is cheapest to fail; ends with pytest's closing line.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONPATH=shared:functions:. AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1}

say() { printf '\n\033[1m== %s (%d s)\033[0m\n' "$1" "$SECONDS"; }

say "lint, types, imports, template"
tools/lint.sh
say "storefront SDK in Node"
npm --prefix shared/abtest/storefront test --silent
say "sam build and sizes"
tools/sam/build.sh
say "every function in a container"
tools/sam/invoke.sh
say "pytest"
# Whole files, in the order that tests/conftest.py gives them: by itself xdist begins files of one test last.
.venv/bin/pytest -q -n 2 --dist loadfile --no-loadscope-reorder "$@"
