#!/usr/bin/env bash
# Formatting, lint, types, import rules, template: everything that can be wrong without running a test.
# Two groups of checks run side by side, a core each; a check prints what it has to say when it is done.
set -euo pipefail
cd "$(dirname "$0")/.."
export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1} PYTHONPATH=shared:functions:.

check() { # NAME COMMAND...
  local name=$1 began=$SECONDS output status=0
  shift
  output=$("$@" 2>&1) || status=$?
  printf '\033[1mlint: %s\033[0m (%d s)%s%s\n' "$name" $((SECONDS - began)) "$([ $status = 0 ] || echo ' FAILED')" "${output:+$'\n'$output}"
  return $status
}

python_sources() {
  check "format" .venv/bin/ruff format --check --quiet .
  check "rules" .venv/bin/ruff check --quiet .
  check "imports" .venv/bin/lint-imports --no-logo
  check "words" .venv/bin/python -m tools.lint_words
  check "types" .venv/bin/mypy
}

template_and_storefront() {
  check "OpenAPI matches the routes" .venv/bin/python -m tools.openapi --check
  check "OpenAPI rules" tests/clients/node_modules/.bin/spectral lint docs/api/openapi.json \
    --ruleset tests/clients/spectral.yaml --fail-severity hint --quiet
  check "storefront types and lint" npm --prefix shared/abtest/storefront run --silent check
  check "committed bundle" npm --prefix shared/abtest/storefront run --silent verify
  check "npm package: build and types" npm --prefix clients/javascript run --silent check
  check "console: build, types, lint, unit tests" tools/console.sh --check
  check "cfn-lint" .venv/bin/cfn-lint template.yaml
  check "sam validate" .local/venvs/sam/bin/sam validate --lint
  check "checkov" .venv/bin/python -m tools.template_audit
}

status=0
python_sources & sources=$!
template_and_storefront & others=$!
wait "$sources" || status=1
wait "$others" || status=1
exit $status
