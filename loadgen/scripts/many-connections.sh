#!/bin/sh
# Measures many connections, RT beside TCP and raw UDP, interleaved: echoes of 64 bytes over 100,
# 1,000 and 10,000 connections, pushes over 1,000, and what one connection that pushes 1 MiB
# resends. Text to the terminal, JSON to the directory given.
# Usage: loadgen/scripts/many-connections.sh [DIRECTORY] [ROUNDS] [ROW...]
#   ROW is echo-CONNECTIONS-RATE (echo-1000-20000), push-64 or push-1m; all without. One takes about
#   a minute a round.
#   WARMUP and DURATION, of each transport in each round, are 10s and 5s; TRANSPORTS is rt,tcp,udp.
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
out=${1:-many-connections}
rounds=${2:-3}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
[ $# -gt 0 ] || set -- echo-1000-20000 echo-1000-10000 echo-100-20000 echo-100-5000 echo-10000-2000 push-64 push-1m
mkdir -p "$out"

compare() {
  row=$1
  transports=$2
  shift 2
  printf '%s: %s\n' "$row" "$*"
  "$top/rt" compare --transports "$transports" "$@" --rounds "$rounds" --warmup "${WARMUP:-10s}" --duration "${DURATION:-5s}" \
    --json "$out/$row.json"
}

for row in "$@"; do
  case $row in
    echo-*-*)
      connections=${row#echo-}
      compare "$row" "${TRANSPORTS:-rt,tcp,udp}" --op echo --size 64 --connections "${connections%-*}" --rate "${row##*-}"
      ;;
    push-64) compare "$row" "${TRANSPORTS:-rt,tcp}" --op push --size 64 --connections 1000 ;;
    push-1m) compare "$row" rt --op push --size 1m ;;
    *)
      printf 'many-connections.sh: %s is no row\n' "$row" >&2
      exit 2
      ;;
  esac
done
