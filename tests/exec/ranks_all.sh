#!/usr/bin/env bash
# ranks_all.sh STENCILGEN SOURCE_DIR [EACH [FILTER]]: the bits of the interpreter on ranks of MPI, with
# --fp strict, for every example and every program of suites A, C and D, at odd extents: on 1, 2, 3, 4, 6
# and 8 ranks, in all grids of so many, with 1 to 6 turns between exchanges. EACH says how many of these
# numbers of turns to take of each program, 6 or fewer: the next program begins with the next one.
# FILTER, a pattern of grep -E, says which programs. A program is compiled once for each number of
# turns, and started once: all_grids.hpp runs it on all grids, and compares their files with those of
# one rank, which `run --verify` compares with the interpreter. Prints a line for each program, with its runs
# and how many were refused, as ranks had too few points. Runs as a test with a part of that; by hand:
# tests/exec/ranks_all.sh build/release/compiler/driver/stencilgen .
set -euo pipefail
each="${3:-6}"
filter="${4:-.}"
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
RANKS_GRIDS="$(for axes in 1 2 3; do for count in 1 2 3 4 6 8; do grids $count $axes; done; done)"
export RANKS_GRIDS RANKS_LOG="$work/grids"

# The compiler and the starter that `run --ranks` uses here: the program with all_grids.hpp, on 8 ranks.
cat > compiler/mpicxx <<END
#!/usr/bin/env bash
exec "$(command -v "$mpicxx")" -include "$source_dir/tests/exec/all_grids.hpp" "\$@" -O1
END
cat > compiler/mpirun <<END
#!/usr/bin/env bash
if [ "\$1" = -n ]; then set -- -n 8 "\${@:3}"; fi
exec "$(command -v "$mpirun")" "\$@"
END
chmod +x compiler/mpirun
export MPIRUN="$work/compiler/mpirun"

# What is said of a program that leaves something else on three ranks, and refuses eight.
cat > planted.cpp <<'END'
#include <cstdio>
#include <string>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 8 && rank == 0) std::fprintf(stderr, "8 ranks are too many: each needs\n");
  if (ranks == 8) return 1;
  for (const char* name : {"/counts", "/u.out.npy"}) {
    if (rank > 0) continue;
    std::FILE* const file = std::fopen((argv[1] + std::string(name)).c_str(), "w");
    std::fprintf(file, "%d\n", ranks == 3 ? 1 : 0);
    std::fclose(file);
  }
  return MPI_Finalize();
}
END
mkdir planted_files
"$work/compiler/mpicxx" -std=c++17 planted.cpp -o planted
set_start
"${start[@]}" -n 8 ./planted planted_files 1 0
[ "$(head -4 grids | tr '\n' ' ')" = "1 equal 2 equal 3 differs: u.out.npy 4 equal " ] &&
  [ "$(tail -1 grids)" = "8 refused" ] || fail "what differs is not found: $(cat grids)"

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

# sizes_of FILE: the options that say the sizes of a program.
sizes_of() {
  local file="$1" iterators parameter value
  # Extents that follow from each other, or that places must lie within, stay as they are.
  if grep -qE "MC *=|SHOT *=" "$file"; then return; fi
  iterators="$(sed -n 's/^ *iterator *\([^;]*\);.*/\1/p' "$file" | head -1 | tr ',' '\n' | wc -l)"
  for parameter in $(sed -n 's/^ *parameter *\([^;]*\);.*/\1/p' "$file" | tr ',' '\n' |
      sed 's/=.*//'); do
    value="$(size "$parameter" "$iterators")"
    [ -z "$value" ] || echo "-D $parameter=$value"
  done
}

# check FILE FIRST: with so many numbers of turns, from that one on.
check() {
  local file="$1" first="$2" name sizes n step said ran=0 refused=0 grid outcome
  name="$(basename "$file" .idsl)"
  read -r -d '' -a sizes < <(sizes_of "$file") || true
  for ((n = 0; n < each; ++n)); do
    step=$(((first + n) % 6 + 1))
    : > grids
    if ! said="$(timeout 600 "$stencilgen" run "$file" --ranks 1 --mpi-steps $step --fp strict --verify \
        --repeat 1 "${sizes[@]}" 2>&1)"; then
      if [[ "$said" == *"[mpi-"* ]]; then
        echo "$name: not for ranks: $(grep -o '\[mpi-[a-z-]*\]' <<< "$said" | head -1)"
        return
      fi
      fail "$name, $step turns, ${sizes[*]}: $said"
    fi
    while read -r grid outcome; do
      case "$outcome" in
        equal) ran=$((ran + 1)) ;;
        refused) refused=$((refused + 1)) ;;
        *) fail "$name on $grid ranks, $step turns, ${sizes[*]}: $outcome" ;;
      esac
    done < grids
  done
  checks=$((checks + ran))
  [ $ran -ge $((2 * each)) ] || fail "$name: only $ran runs on ranks"
  echo "$name: $ran runs are equal, $refused were refused"
}

files=("$source_dir"/examples/*/*.idsl)
for bench in "$source_dir"/benchmarks/stencils/*/bench.json; do
  grep -qE '"suites?": *\[?[^]]*"[ACD]"' "$bench" || continue
  files+=("$(dirname "$bench")"/*.idsl)
done
first=0
for file in "${files[@]}"; do
  if grep -qE "$filter" <<< "$file"; then
    check "$file" $first
    first=$((first + each))
  fi
done
[ $failed = 1 ] || [ $checks -ge 1 ] || fail "nothing was run"
exit $failed
