#!/usr/bin/env bash
# Invokes built functions with the events of events/ and checks their answers; see invoke.py (--all: every event).
# An event file is `<function folder>__<case>.json`; the expected answers are in `events/expected.json`.
set -euo pipefail
cd "$(dirname "$0")/../.."
export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1} PYTHONPATH=shared:functions:.
export AWS_ACCESS_KEY_ID=testing AWS_SECRET_ACCESS_KEY=testing
engine=$(tools/sam/engine.sh up) # not inside eval: its failure must end this script
eval "$engine"
trap 'tools/sam/engine.sh down >/dev/null 2>&1 || true' EXIT
.venv/bin/python tools/sam/invoke.py "$@"
