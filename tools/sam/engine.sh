#!/usr/bin/env bash
# A container engine for `sam local invoke` on a Debian machine that has none.
#
#   eval "$(tools/sam/engine.sh up)"   prints `export DOCKER_HOST=…`; nothing when an engine answers already
#   tools/sam/engine.sh down           stops the engine that `up` started
#
# Where the public Lambda image can be pulled it is used. Where it cannot, a stand-in is made from this machine's own
# CPython 3.11 and awslambdaric: it is not Amazon Linux, but it shows that a built function starts, imports its
# layers and answers in a container of its own under its memory limit.
set -euo pipefail
cd "$(dirname "$0")/../.."
home=$PWD/.local/containers
image=public.ecr.aws/lambda/python:3.11-x86_64
say() { printf 'engine: %s\n' "$*" >&2; }

start_daemon() {
  if ! command -v dockerd >/dev/null; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
      { say "NO CONTAINER ENGINE: install Docker, or run this as root on Debian"; exit 3; }
    say "installing docker.io"
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker.io >/dev/null 2>&1
  fi
  say "starting dockerd"
  mkdir -p "$home"
  setsid dockerd --data-root "$home/data" --exec-root "/run/abtest-$(printf %s "$home" | cksum | cut -d" " -f1)" --pidfile "$home/dockerd.pid" \
    --host "$DOCKER_HOST" >"$home/dockerd.log" 2>&1 </dev/null &
  for _ in $(seq 150); do
    docker info >/dev/null 2>&1 && return
    sleep 0.2
  done
  say "dockerd did not start: $(tail -n 3 "$home/dockerd.log")"
  exit 3
}

# Shared objects that the given programs need, one path a line.
libraries() { ldd "$@" 2>/dev/null | grep -oE '/[^ ]+\.so[^ ]*' | sort -u; }

build_stand_in() {
  local root prefix library tool
  say "the public image cannot be had here: making a stand-in from this machine's Python"
  root=$(mktemp -d)
  prefix=$(python3.11 -c 'import sys; print(sys.base_prefix)')
  mkdir -p "$root"/{tmp,etc/ssl/certs,proc,sys,dev,opt,root,usr/bin,usr/lib,usr/lib64,var/task,var/runtime,var/lang}
  chmod 1777 "$root/tmp"
  ln -s usr/bin "$root/bin"; ln -s usr/lib "$root/lib"; ln -s usr/lib64 "$root/lib64"
  tar -C "$prefix" --exclude='lib/python3.11/test' --exclude='lib/python3.11/site-packages' --exclude='*.a' \
    --exclude=share --exclude=include -c . | tar -C "$root/var/lang" -x
  cp -L "$(command -v dash)" "$root/usr/bin/sh"
  for tool in mv chmod cp rm mkdir; do cp -L "$(command -v "$tool")" "$root/usr/bin/"; done # sam adds layers with these
  { libraries "$root"/usr/bin/* "$prefix/bin/python3.11" "$prefix"/lib/python3.11/lib-dynload/*.so
    find /lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu -maxdepth 1 \
      -regex '.*/lib\(nss_dns\|gcc_s\|rt\|pthread\|dl\|util\|m\|anl\|resolv\|stdc\+\+\)\.so\.[0-9]+'; } | sort -u |
    while read -r library; do
      case $library in "$prefix"/*) continue ;; esac
      local target=${library/#\/lib/\/usr\/lib}
      mkdir -p "$root$(dirname "$target")"
      cp -L "$library" "$root$target"
    done
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
  echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
  .venv/bin/uv pip install --quiet --python python3.11 --target "$root/var/runtime" awslambdaric boto3 >&2
  cat >"$root/var/runtime/bootstrap" <<'B'
#!/bin/sh
export PYTHONPATH="/opt/python/lib/python3.11/site-packages:/opt/python:/var/runtime${PYTHONPATH:+:$PYTHONPATH}"
cd "${LAMBDA_TASK_ROOT:-/var/task}"
exec /var/lang/bin/python3.11 -m awslambdaric "${_HANDLER:-$AWS_LAMBDA_FUNCTION_HANDLER}"
B
  chmod +x "$root/var/runtime/bootstrap"
  tar -C "$root" -c . | docker import --change 'WORKDIR /var/task' \
    --change 'ENV LANG=C.UTF-8 PATH=/var/lang/bin:/usr/bin:/bin:/opt/bin LD_LIBRARY_PATH=/var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/task LAMBDA_TASK_ROOT=/var/task LAMBDA_RUNTIME_DIR=/var/runtime SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt' \
    - "$image" >&2
  rm -rf "$root"
}

up() {
  if ! docker info >/dev/null 2>&1; then
    export DOCKER_HOST=unix://$home/docker.sock
    docker info >/dev/null 2>&1 || start_daemon
  fi
  docker image inspect "$image" >/dev/null 2>&1 || timeout 120 docker pull --quiet "$image" >/dev/null 2>&1 || build_stand_in
  [ -n "${DOCKER_HOST:-}" ] && echo "export DOCKER_HOST=$DOCKER_HOST"
}

case ${1:-} in
  up) up ;;
  down) if [ -f "$home/dockerd.pid" ]; then kill "$(cat "$home/dockerd.pid")" && say "stopped"; else say "not ours or not running"; fi ;;
  *) sed -n '2,10p' "$0" >&2; exit 2 ;;
esac
