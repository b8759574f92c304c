#!/usr/bin/env bash
# ranks_scaling_test.sh STENCILGEN SOURCE_DIR: `explain --ranks` counts the messages and bytes that
# ranks of MPI send, to the last one, and chooses their grid; what it predicts follows from the
# network and the sizes as it must. Runs are skipped where there is no MPI.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/ranks_support.sh"

# of NAME LINE: a number of the JSON of one prediction.
of() { grep -o "\"$1\":[^,}]*" <<< "$2" | head -1 | cut -d: -f2; }
# less A B: A is less than B.
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }
# predict ARGUMENTS...: a line for each number of ranks, in `lines`.
predict() {
  local json
  json="$("$stencilgen" explain "$@" --target cpp --json)" || fail "explain $*"
  mapfile -t lines < <(grep -o '{"ranks":[0-9]*,"grid"[^}]*}' <<< "$json")
}

write_heat "M=40, N=30, T=9"
predict heat.idsl -D M=40000,N=40000 --ranks 8,512,4096 --mpi-steps 1
[ "$(of grid "${lines[0]}")" = "[8" ] || fail "the grid of 8 ranks: ${lines[0]}"
[ "$(of messages "${lines[0]}")" = 18 ] && [ "$(of bytes "${lines[0]}")" = 5760000 ] ||
  fail "two messages of a row each turn: ${lines[0]}"
less "$(of seconds "${lines[1]}")" "$(of seconds "${lines[0]}")" || fail "more ranks take longer"
less "$(of efficiency "${lines[2]}")" "$(of efficiency "${lines[1]}")" || fail "ranks cost nothing"
# Four turns between exchanges: a quarter of the messages.
predict heat.idsl -D M=4000,N=4000,T=8 --ranks 16 --mpi-steps 1
one="$(of messages "${lines[0]}")"
predict heat.idsl -D M=4000,N=4000,T=8 --ranks 16 --mpi-steps 4
[ "$one" = $((4 * $(of messages "${lines[0]}"))) ] || fail "T = 4 sends ${lines[0]}, T = 1 $one"
# The slower messages begin, the more turns share them.
best() { predict heat.idsl -D M=2000,N=2000,T=96 --ranks 64 --network "latency=$1"; of steps "${lines[0]}"; }
[ "$(best 200us)" -gt "$(best 100ns)" ] || fail "best turns: $(best 200us) and $(best 100ns)"
# Weak scaling: the work of a rank stays what it is.
predict heat.idsl -D M=2000,N=2000 --ranks 8,4096 --scaling weak
less 0.9 "$(of efficiency "${lines[1]}")" || fail "weak scaling: ${lines[1]}"
predict heat.idsl --ranks 1,2000
[ "$(of efficiency "${lines[0]}")" = 1.0 ] || fail "one rank is one machine: ${lines[0]}"
[ "${lines[1]}" = '{"ranks":2000,"grid":null}' ] || fail "too many ranks: ${lines[1]}"
[[ "$("$stencilgen" explain heat.idsl --target cpp --ranks 2,2000)" == *"2000  too many"* ]] ||
  fail "the text does not say that there are too many ranks"
# Where a rank has much to compute, it hides what its messages take, and where it has little, not.
predict heat.idsl -D M=4000,N=4000 --ranks 4,64 --mpi-steps 1 --network latency=20us
less 0 "$(of hidden_seconds "${lines[0]}")" || fail "nothing hidden: ${lines[0]}"
! less "$(of exchange_seconds "${lines[0]}")" "$(of hidden_seconds "${lines[0]}")" ||
  fail "more hidden than there is: ${lines[0]}"
checks=9

need_mpi

# counted FILE RANKS STEPS ARGUMENTS...: a run's exchanges, messages and bytes of the rank with the
# most of each, then of all ranks, are what is predicted.
counted() {
  local file="$1" ranks="$2" steps="$3" sent said grid
  shift 3
  checks=$((checks + 1))
  predict "$file" --ranks "$ranks" --mpi-steps "$steps" "$@"
  local line="${lines[0]}"
  said="$(timeout 300 "$stencilgen" run "$file" --ranks "$ranks" --mpi-steps "$steps" "$@" \
    --repeat 1 --json)" || fail "$file does not run on $ranks ranks"
  sent="$(grep -o '"exchanges":[0-9]*,"messages":[0-9]*,"bytes":[0-9]*' <<< "$said" |
    tr -dc '0-9,\n' | awk -F, '
      { for (n = 1; n <= 3; ++n) { all[n] += $n; if ($n > most[n]) most[n] = $n } }
      END { print most[1]+0, most[2]+0, most[3]+0, all[2]+0, all[3]+0 }')"
  local predicted="$(of exchanges "$line") $(of messages "$line") $(of bytes "$line")"
  predicted+=" $(of all_messages "$line") $(of all_bytes "$line")"
  [ "$sent" = "$predicted" ] || fail "$file on $ranks ranks, $steps turns: sends $sent, predicted $predicted"
  grid="$(grep -o '"grid":\[[0-9,]*\]' <<< "$said")"
  [[ "$line" == *"$grid"* ]] || fail "$file on $ranks ranks: $grid, predicted $line"
}
counted heat.idsl 3 1
counted heat.idsl 8 2 -D M=30,N=31
counted heat.idsl 4 4 -D M=9,N=300
cat > ring.idsl <<'END'
parameter M=23, N=31, T=5;
iterator j, i;
double u[M,N], v[M,N];
float w[M+3];
boundary u = wrap, v = wrap;
copyin u, v, w;
stencil flow (v, u, w) {
  v[j][i] = 0.5*u[j-2][i-1] + 0.25*(u[j+1][i] + u[j][i+1])*w[j] + 0.01*j;
}
iterate t : T { flow (v, u, w); swap u, v; }
copyout u;
END
counted ring.idsl 2 1
counted ring.idsl 3 3
counted ring.idsl 6 1
stencils="$source_dir/benchmarks/stencils"
counted "$stencils/acoustic/acoustic.idsl" 8 1 -D L=21,M=22,N=17,T=5
counted "$stencils/fdtd2d/fdtd2d.idsl" 4 2 -D M=31,N=22,T=5
counted "$stencils/heat3d-periodic/heat3d-periodic.idsl" 6 2 -D L=21,M=18,N=17,T=5
counted "$source_dir/examples/wave2d/wave2d.idsl" 2 3 -D M=47,N=51,T=5

# The table of predictions and measurements, which is written where all counts are equal.
PATH="$(dirname "$(realpath "$stencilgen")"):$PATH" "$source_dir/benchmarks/ranks_scaling" --quick \
  --only fdtd2d --repeat 1 > table.md || fail "no table"
[ "$(grep -c '^| fdtd2d ' table.md)" = 6 ] || fail "the table: $(cat table.md)"
checks=$((checks + 1))

[ $checks -ge 19 ] || fail "there were only $checks checks"
exit $failed
