#!/bin/sh
# Measures one connection on long paths: RT beside QUIC and Aeron, interleaved, through the same
# proxy: pushes of 1 MiB and 4 KiB, round trips of 20 and 100 ms, nothing lost and 1 % lost. Text to
# the terminal, JSON to the directory given.
# Usage: loadgen/scripts/long-paths.sh [DIRECTORY] [ROUNDS] [ROW...]
#   ROW is 1m-20ms, 4k-20ms, 1m-100ms, 4k-100ms, or one of these with -loss; all without. One takes
#   about half a minute a round.
#   WARMUP and DURATION, of each transport in each round, are 5s; TRANSPORTS is rt,quic,aeron.
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
out=${1:-long-paths}
rounds=${2:-3}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
[ $# -gt 0 ] || set -- 1m-20ms 4k-20ms 1m-100ms 4k-100ms 1m-20ms-loss 4k-20ms-loss 1m-100ms-loss 4k-100ms-loss
mkdir -p "$out"

for row in "$@"; do
  case $row in
    1m-*) size=1m ;;
    4k-*) size=4k ;;
    *) size= ;;
  esac
  case ${row#??-} in
    20ms) delay=10ms loss=0 ;;
    20ms-loss) delay=10ms loss=0.01 ;;
    100ms) delay=50ms loss=0 ;;
    100ms-loss) delay=50ms loss=0.01 ;;
    *) size= ;;
  esac
  if [ -z "$size" ]; then
    printf 'long-paths.sh: %s is no row\n' "$row" >&2
    exit 2
  fi
  printf '%s: --size %s --delay %s --loss %s\n' "$row" "$size" "$delay" "$loss"
  "$top/rt" compare --transports "${TRANSPORTS:-rt,quic,aeron}" --op push --size "$size" --delay "$delay" --loss "$loss" \
    --rounds "$rounds" --warmup "${WARMUP:-5s}" --duration "${DURATION:-5s}" --json "$out/$row.json"
done
