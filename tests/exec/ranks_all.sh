#!/usr/bin/env bash
# ranks_all.sh STENCILGEN SOURCE_DIR [EACH [FIRST [FILTER]]]: the bits of the interpreter on ranks of
# MPI, with --fp strict, for every example and every program of suites A, C and D: on 1, 2, 3, 4, 6 and
# 8 ranks, in all grids of so many, with 1 to 6 turns between exchanges and odd extents. That takes
# hours; EACH says how many of these runs to take of each program (0: all), evenly, from the
# one of number FIRST on, and FILTER, a pattern of grep -E, which programs. Prints a line for each program,
# with its runs and how many were refused, as ranks had too few points. Runs as a test with few of them;
# by hand: tests/exec/ranks_all.sh build/release/compiler/driver/stencilgen . 0
set -euo pipefail
each="${3:-0}"
first="${4:-0}"
filter="${5:-.}"
source "$(dirname "${BASH_SOURCE[0]}")/ranks_support.sh"
need_mpi

# grids COUNT AXES: all ways to share so many ranks among axes, as 2x1x3.
grids() {
  local count="$1" axes="$2" along rest
  if [ "$axes" = 1 ]; then
    echo "$count"
    return
  fi
  for ((along = 1; along <= count; ++along)); do
    [ $((count % along)) = 0 ] || continue
    grids $((count / along)) $((axes - 1)) | while read -r rest; do echo "${along}x$rest"; done
  done
}

# size PARAMETER: an odd extent, small enough for the interpreter, and a few turns.
size() {
  case "$1:$2" in
    T:*) echo 7 ;;
    *:1) echo 403 ;;
    L:3) echo 53 ;;
    M:3) echo 61 ;;
    N:3) echo 47 ;;
    M:2) echo 203 ;;
    *:2) echo 187 ;;
  esac
}

# check FILE
check() {
  local file="$1" name iterators sizes=() parameter value said axes all=() n step ran=0 refused=0
  name="$(basename "$file" .idsl)"
  iterators="$(sed -n 's/^ *iterator *\([^;]*\);.*/\1/p' "$file" | head -1 | tr ',' '\n' | wc -l)"
  for parameter in $(sed -n 's/^ *parameter *\([^;]*\);.*/\1/p' "$file" | tr ',' '\n' |
      sed 's/=.*//'); do
    value="$(size "$parameter" "$iterators")"
    [ -z "$value" ] || sizes+=(-D "$parameter=$value")
  done
  # Extents that follow from each other, or that places must lie within, stay as they are.
  if grep -qE "MC *=|SHOT *=" "$file"; then sizes=(); fi
  if ! said="$(timeout 300 "$stencilgen" run "$file" --ranks 1 --fp strict --verify --repeat 1 \
      "${sizes[@]}" 2>&1)"; then
    if [[ "$said" == *"[mpi-"* ]]; then
      echo "$name: not for ranks: $(grep -o '\[mpi-[a-z-]*\]' <<< "$said" | head -1)"
      return
    fi
    fail "$name on one rank: $said"
    return
  fi
  axes="$(sed -n 's/^  ranks .* along \(.*\), [0-9]* turns\{0,1\} .*/\1/p' <<< "$said" |
    tr ',' '\n' | wc -l)"
  for n in 1 2 3 4 6 8; do
    while read -r grid; do
      for step in 1 2 3 4 5 6; do all+=("$grid $step"); done
    done < <(grids $n "$axes")
  done
  local stride=1
  # A stride that shares no factor with six, so that all numbers of turns come.
  if [ "$each" != 0 ] && [ "$each" -lt ${#all[@]} ]; then
    stride=$((${#all[@]} / each))
    while [ $((stride % 2)) = 0 ] || [ $((stride % 3)) = 0 ]; do stride=$((stride + 1)); done
  fi
  for ((n = 0; n < (each == 0 ? ${#all[@]} : each); ++n)); do
    read -r grid step <<< "${all[$(((first + n * stride) % ${#all[@]}))]}"
    if said="$(timeout 300 "$stencilgen" run "$file" --ranks "$grid" --mpi-steps "$step" \
        --fp strict --verify --repeat 1 "${sizes[@]}" 2>&1)"; then
      ran=$((ran + 1))
    elif [[ "$said" == *"ranks are too many: each needs"* ]]; then
      refused=$((refused + 1))
    else
      fail "$name on $grid ranks, $step turns, ${sizes[*]}:"$'\n'"$said"
    fi
  done
  checks=$((checks + ran))
  echo "$name: $ran runs are equal, $refused were refused"
}

files=("$source_dir"/examples/*/*.idsl)
for bench in "$source_dir"/benchmarks/stencils/*/bench.json; do
  grep -qE '"suites?": *\[?[^]]*"[ACD]"' "$bench" || continue
  files+=("$(dirname "$bench")"/*.idsl)
done
for file in "${files[@]}"; do
  if grep -qE "$filter" <<< "$file"; then check "$file"; fi
done
[ $failed = 1 ] || [ $checks -ge 1 ] || fail "nothing was run"
exit $failed
