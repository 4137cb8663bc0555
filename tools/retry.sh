#!/usr/bin/env bash
# Run a command; if it fails and its output looks like a network fault, wait and run it again.
# Any other failure (a compiler error, say) is returned at once.
# Usage: tools/retry.sh TRIES COMMAND [ARG...]      RETRY_WAIT: seconds before the second try (5; doubles)
set -u
tries=$1; shift
wait=${RETRY_WAIT:-5}
faults='timed out|timeout|connection|temporary failure|name resolution|network is unreachable|no matching distribution'
faults="$faults|incomplete ?read|protocol ?error|ssl|http error|50[0-9] (server|bad|service|gateway)|remote end closed|hash mismatch"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for ((try = 1; ; try++)); do
    "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    [ "$status" -ne 0 ] || exit 0
    if [ "$try" -ge "$tries" ] || ! grep -qiE "$faults" "$log"; then exit "$status"; fi
    echo "retry.sh: looks like a network fault; try $((try + 1)) of $tries in $wait s" >&2
    sleep "$wait"
    wait=$((wait * 2))
done
