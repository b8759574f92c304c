#!/usr/bin/env bash
# loop_lanes_test.sh STENCILGEN SOURCE_DIR: g++ makes vectors of 64 bytes of generated loops where the
# processor has them, but for those with square roots, and of 32 bytes where it has those.
set -euo pipefail
stencilgen="$1"
source_dir="$2"
if ! echo | g++ -march=x86-64-v4 -x c++ -E - > /dev/null 2>&1; then
  echo "no g++ for x86-64: skipped"
  exit 77
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
export STENCILGEN_TUNING_DB=none

# lanes PROGRAM ARCHITECTURE INSTRUCTION: the registers that the instruction has, widest first.
lanes() {
  "$stencilgen" "$source_dir/benchmarks/stencils/$1/$1.idsl" --target cpp -o program.cpp 2> said.txt
  g++ -std=c++17 -O3 "-march=$2" -fopenmp -fno-math-errno -S program.cpp -o program.s
  grep -E "^[[:space:]]*$3[[:space:]]" program.s | grep -oE "%[xyz]mm" | sort -ru | head -1 || true
}

check() {
  local got
  got="$(lanes "$1" "$2" "$3")"
  if [ "$got" != "$4" ]; then
    echo "$1 for $2: $3 with ${got:-nothing}, not $4" >&2
    exit 1
  fi
  echo "$1 for $2: $3 with $got"
}

check heat2d-periodic x86-64-v4 vaddpd %zmm
check heat2d-periodic x86-64-v3 vaddpd %ymm
check gradient x86-64-v4 vsqrtpd %ymm
