#!/usr/bin/env bash
# Installs what the project needs: system packages, six Python environments, build tools and linters from npm.
# Idempotent: a step runs when what it installs is absent or its lock file changed, and prints it.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { if [ -t 1 ]; then printf '\033[1m%s\033[0m\n' "$*"; else printf '%s\n' "$*"; fi; }
warn() { printf 'setup: %s\n' "$*" >&2; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

steps=$(grep -c '^step ' tools/setup.sh) number=0
# step NAME FILE... -- COMMAND...: run the command unless it ran before with the same files.
step() {
  local name=$1 files=() mark sum
  shift
  number=$((number + 1))
  while [ "$1" != -- ]; do files+=("$1"); shift; done
  shift
  mark=.local/setup/$name
  sum=$(cat "${files[@]}" tools/setup.sh | sha256sum | cut -d' ' -f1)
  [ "$(cat "$mark" 2>/dev/null)" = "$sum" ] && return
  say "setup: $name ($number of $steps)"
  "$@"
  mkdir -p "$(dirname "$mark")"
  printf '%s' "$sum" >"$mark"
}

# Only tests need these: a stack starts without them, so their absence fails only for root, who can install them.
system_packages() {
  local missing=() command
  for command in chromium chromium-headless-shell git; do
    command -v "$command" >/dev/null || missing+=("$command")
  done
  [ ${#missing[@]} -eq 0 ] && return
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    warn "make test needs ${missing[*]}: install it, or on Debian run make setup as root once"
    return
  fi
  say "setup: system packages ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

console_packages() {
  npm --prefix console ci --silent --no-audit --no-fund
  npm --prefix console/types ci --silent --no-audit --no-fund --ignore-scripts
}

python_environment() { # DIRECTORY REQUIREMENTS: exactly the packages of the lock file
  [ -x "$1/bin/python" ] || "$python" -m venv "$1"
  if [ ! -x .venv/bin/uv ]; then .venv/bin/python -m pip install --quiet --disable-pip-version-check uv; fi
  VIRTUAL_ENV=$PWD/$1 .venv/bin/uv pip sync --quiet --require-hashes "$2"
}

python=$(command -v python3.11 || true)
[ -n "$python" ] || fail "Python 3.11 is needed (the Lambda runtime): apt-get install python3.11 python3.11-venv"
for command in node npm; do
  command -v "$command" >/dev/null || fail "Node 20 or newer with npm is needed for the storefront SDK"
done

system_packages
[ -x .venv/bin/python ] || { rm -rf .local/setup; "$python" -m venv .venv; }
step application requirements/dev.txt -- python_environment .venv requirements/dev.txt
step engine requirements/ministack.txt -- python_environment .local/venvs/ministack requirements/ministack.txt
step sam requirements/sam.txt -- python_environment .local/venvs/sam requirements/sam.txt
step checkov requirements/checkov.txt -- python_environment .local/venvs/checkov requirements/checkov.txt
step oscar requirements/oscar.txt -- python_environment .local/venvs/oscar requirements/oscar.txt
step storefront shared/abtest/storefront/package-lock.json -- npm --prefix shared/abtest/storefront ci --silent --no-audit --no-fund
step renderer tools/reference_files.py -- .venv/bin/python -m tools.reference_files renderer
step guides docs/*.md tools/reference_files.py -- .venv/bin/python -m tools.reference_files guides
step clients-python requirements/clients.txt -- python_environment .local/venvs/clients requirements/clients.txt
step clients tests/clients/package-lock.json -- npm --prefix tests/clients ci --silent --no-audit --no-fund --ignore-scripts
step pages tests/browser/pages/package-lock.json -- npm --prefix tests/browser/pages ci --silent --no-audit --no-fund
step client-javascript clients/javascript/package-lock.json -- npm --prefix clients/javascript ci --silent --no-audit --no-fund
step console-packages console/package-lock.json console/types/package-lock.json -- console_packages
step console $(find console/src console/tools docs/api/openapi.json -type f ! -name schema.d.ts | sort) -- tools/console.sh
