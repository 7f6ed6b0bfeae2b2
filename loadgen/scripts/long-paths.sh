#!/bin/sh
# Measures one connection on long paths: RT beside QUIC and Aeron, interleaved, through the same proxy. Pushes of 1 MiB and 4 KiB,
# round trips of 20 and 100 ms without loss, and 20 ms with 1 % lost. Text to the terminal, JSON to the directory given.
# Usage: loadgen/scripts/long-paths.sh [DIRECTORY] [ROUNDS]
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
out=${1:-long-paths}
rounds=${2:-3}
mkdir -p "$out"

row() {
  name=$1
  shift
  printf '%s: %s\n' "$name" "$*"
  "$top/rt" compare --transports rt,quic,aeron --op push "$@" \
    --rounds "$rounds" --warmup 5s --duration 5s --json "$out/$name.json"
}

row 1m-20ms --size 1m --delay 10ms
row 4k-20ms --size 4k --delay 10ms
row 1m-100ms --size 1m --delay 50ms
row 4k-100ms --size 4k --delay 50ms
row 1m-20ms-loss --size 1m --delay 10ms --loss 1%
row 4k-20ms-loss --size 4k --delay 10ms --loss 1%
