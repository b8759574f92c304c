#!/usr/bin/env bash
# demo_test.sh SOURCE: ./examples/demo, where the compiler is built already: what a new user sees
# first.
set -euo pipefail
report="$("$1/examples/demo" 2>&1)" || { echo "$report" >&2; exit 1; }
[ "$(grep -c "^  verified" <<< "$report")" = 3 ] || { echo "$report" >&2; exit 1; }
picture="$(sed -n 's/^picture: //p' <<< "$report")"
[ -s "$picture" ] || { echo "no picture: $report" >&2; exit 1; }
movie="$(sed -n 's/^movie: //p' <<< "$report")"
[ -s "$movie" ] || { echo "no movie: $report" >&2; exit 1; }
