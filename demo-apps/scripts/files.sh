#!/bin/sh
# Measures files over loopback, push and pull, in interleaved rounds. Every copy is compared with
# its source.
# Usage: demo-apps/scripts/files.sh ROW [ROUNDS]
#   ROW  tmpfs   MIB of random bytes from /dev/shm to /dev/shm, beside dd and
#                ./rt load --op push --size 1m
#        four    the same bytes in four files, four transfers at once
#        disk    from /dev/shm to DISK and forced, beside dd bs=1M conv=fsync of as many bytes
#        demo    ./rt demo, seconds
# MIB is 3000, DISK is /tmp. A line a measurement: row, round, what, megabytes a second.
set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
row=${1:?ROW}
rounds=${2:-1}
mib=${MIB:-3000}
memory=/dev/shm/rt-files.$$
disk=${DISK:-/tmp}/rt-files.$$
store=$memory/store
[ "$row" != disk ] || store=$disk/store
mkdir -p "$memory" "$disk" "$memory/back"
server=
trap 'stop; rm -rf "$memory" "$disk"' EXIT
trap 'exit 1' INT TERM

stop() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || :
  [ -z "$server" ] || wait "$server" || :
  server=
}

# The target says where it listens.
start() {
  "$top/rt" target --listen 127.0.0.1:0 --root "$store" >"$memory/out" &
  server=$!
  until address=$(sed -n 's/^listening on \([^ ,]*\).*/\1/p' "$memory/out") && [ -n "$address" ]; do
    kill -0 "$server" || exit 1
    sleep 0.1
  done
}

now() { date +%s%N; }

# WHAT BYTES BEGIN
say() {
  awk -v row="$row" -v round="$round" -v what="$1" -v bytes="$2" -v ns="$(($(now) - $3))" \
    'BEGIN { printf "%s %d %-8s %8.1f MB/s  %7.2f s\n", row, round, what, bytes / ns * 1e3, ns / 1e9 }'
}

same() { cmp "$1" "$2" || exit 1; }

files() { # COUNT
  count=$1
  i=0
  while [ $i -lt "$count" ]; do
    dd if=/dev/urandom of="$memory/f$i" bs=1M count=$((mib / count)) status=none
    i=$((i + 1))
  done
  bytes=$((mib / count * count * 1048576))
}

each() { for f in "$memory"/f*; do "$@" "$f"; done; }
pull_one() { "$top/rt" pull "${1##*/}" --from "$address" -o "$memory/back/${1##*/}" >"$memory/log" 2>&1; }
same_stored() { same "$1" "$store/${1##*/}"; }
same_back() { same "$1" "$memory/back/${1##*/}"; }

push() {
  begin=$(now)
  "$top/rt" push "$memory"/f* --to "$address" >"$memory/log" 2>&1 || { cat "$memory/log"; exit 1; }
  say push "$bytes" "$begin"
  each same_stored
}

pull() {
  begin=$(now)
  pullers=
  for f in "$memory"/f*; do
    pull_one "$f" &
    pullers="$pullers $!"
  done
  for p in $pullers; do wait "$p" || { cat "$memory/log"; exit 1; }; done
  say pull "$bytes" "$begin"
  each same_back
  rm -f "$memory"/back/*
}

copy() { # DD_OPTIONS...
  begin=$(now)
  dd if="$memory/f0" of="${store%/store}/copy" bs=1M status=none "$@"
  say dd "$bytes" "$begin"
  rm -f "${store%/store}/copy"
}

load() {
  "$top/rt" load --op push --size 1m --warmup 5s --duration 5s --json "$memory/load.json" >/dev/null
  rate=$(sed -n 's/.*"megabytesPerSecond" *: *\([0-9.E]*\).*/\1/p' "$memory/load.json" | head -n 1)
  awk -v row="$row" -v round="$round" -v rate="$rate" 'BEGIN { printf "%s %d load     %8.1f MB/s\n", row, round, rate }'
}

case $row in
  tmpfs | disk) files 1 ;;
  four) files 4 ;;
  demo) ;;
  *)
    printf 'files.sh: %s is no row\n' "$row" >&2
    exit 2
    ;;
esac

round=1
while [ $round -le "$rounds" ]; do
  if [ "$row" = demo ]; then
    begin=$(now)
    "$top/rt" demo >"$memory/log" 2>&1 || { cat "$memory/log"; exit 1; }
    say demo 0 "$begin"
    grep -i 'MB/s\|MiB' "$memory/log" | tail -n 1
  else
    [ "$row" != disk ] || copy conv=fsync
    [ "$row" != tmpfs ] || copy
    [ "$row" != tmpfs ] || load
    start
    push
    [ "$row" = disk ] || pull
    stop
    rm -rf "$store"
  fi
  round=$((round + 1))
done
