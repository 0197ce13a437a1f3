#!/usr/bin/env bash
# sam build, then two things it leaves out: Python bytecode (a third of a cold start) and a look at the sizes.
# The last build is used again while nothing changed that goes into it.
set -euo pipefail
cd "$(dirname "$0")/../.."
export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=${AWS_DEFAULT_REGION:-us-east-1} PYTHONPATH=shared:functions:.
limit=262144000 # bytes unzipped, function and layers together
build=.aws-sam/build
mark=.aws-sam/inputs.sha256

# Names, modes and contents of every file that a build reads, this script and sam's version among them.
inputs() {
  find template.yaml samconfig.toml functions layers shared requirements/sam.txt tools/sam/build.sh \
    \( -name node_modules -o -name __pycache__ \) -prune -o -type f -printf '%m %p\0' | sort -z |
    while IFS= read -r -d '' file; do printf '%s\n' "$file"; sha256sum <"${file#* }"; done
  python3.11 -VV
}

build() {
  local log=.aws-sam-build.log
  rm -f "$mark"
  .local/venvs/sam/bin/sam build >/dev/null 2>$log || { cat $log >&2; rm -f $log; exit 1; }
  rm -f $log

  # The tests of numpy and scipy are a third of their layer; numpy.testing, which scipy imports, needs one module of them.
  find "$build/ScienceLayer" -path '*/tests/*' -type f ! -path '*/numpy/_core/tests/_natype.py' ! -name __init__.py -delete
  # Functions use scipy.special alone (scipy.stats is banned: it triples a cold start); it imports none of these.
  rm -rf "$build"/ScienceLayer/python/scipy/{stats,signal,io,ndimage,cluster,interpolate,spatial,integrate,datasets}
  python3.11 -m compileall -q --invalidation-mode unchecked-hash "$build" >/dev/null
}

sum=$(inputs | sha256sum | cut -d' ' -f1)
if [ -d "$build" ] && [ "$(cat "$mark" 2>/dev/null)" = "$sum" ]; then
  echo "  nothing changed since the last build"
else
  build
  printf '%s' "$sum" >"$mark"
fi
.venv/bin/python tools/sam/sizes.py "$build" "$limit"
