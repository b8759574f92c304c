#!/usr/bin/env bash
# benchmarks/time_loops on tiny grids, and what the loops written by hand compute.
# time_loops_test.sh STENCILGEN SOURCE_DIR CXX
set -euo pipefail
stencilgen="$1"
source_dir="$2"
cxx="$3"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $*"
  exit 1
}

"$cxx" -std=c++17 -O1 -fopenmp -Wall -Wextra -Wshadow -Werror -o "$work/diamond" \
  "$source_dir/benchmarks/rivals/diamond.cpp"
# The sums were computed turn by turn, by another program.
for run in "1 1000 20 1449.5699999999963" "2 60 20 5219.973328124893" "3 40 13 92792.75639313797"; do
  read -r rank points turns sum <<< "$run"
  found="$("$work/diamond" "$rank" "$points" "$turns")"
  awk -v a="${found##* }" -v b="$sum" \
    'BEGIN { d = (a - b) / b; exit !(d < 1e-12 && d > -1e-12) }' ||
    fail "diamond $rank $points $turns: $found, not $sum"
done
"$work/diamond" 4 10 10 > /dev/null && fail "diamond has no four dimensions"

PATH="$(dirname "$(realpath "$stencilgen")"):$PATH" CXX="$cxx" OMP_NUM_THREADS=2 \
  "$source_dir/benchmarks/time_loops" --scale 0.04 --repeat 1 --filter heat-3d -o "$work/page.md" \
  2> "$work/log" || fail "$(cat "$work/log")"
# Three sizes beside loops written by hand, and one periodic program.
[ "$(grep -c '^| heat-3d | .* | [0-9.]* ([0-9]*, [0-9]*) | [0-9.]* |$' "$work/page.md")" = 3 ] ||
  fail "$(cat "$work/page.md")"
[ "$(grep -c '^| heat-3d, periodic | 12×12×12 | 20 | .* |  |  |$' "$work/page.md")" = 1 ] ||
  fail "$(cat "$work/page.md")"
