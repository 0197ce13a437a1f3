#!/usr/bin/env bash
# Formatting, lint, types, import rules, template: everything that can be wrong without running a test.
set -euo pipefail
cd "$(dirname "$0")/.."
export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1} PYTHONPATH=shared:functions:.

check() { printf '\033[1m%s\033[0m\n' "lint: $1"; shift; "$@"; }

check "format" .venv/bin/ruff format --check --quiet .
check "rules" .venv/bin/ruff check --quiet .
check "types" .venv/bin/mypy
check "imports" .venv/bin/lint-imports --no-logo
check "cfn-lint" .venv/bin/cfn-lint template.yaml
check "sam validate" .local/venvs/sam/bin/sam validate --lint
check "OpenAPI is what the routes say" .venv/bin/python -m tools.openapi --check
check "storefront types, lint and bundle" npm --prefix shared/abtest/storefront run --silent check
check "committed bundle" npm --prefix shared/abtest/storefront run --silent verify
