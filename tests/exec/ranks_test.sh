#!/usr/bin/env bash
# ranks_test.sh STENCILGEN SOURCE_DIR: programs on ranks of MPI give the bits of the interpreter and
# send the messages and bytes that they should; what cannot be distributed, and what goes wrong, is
# said once, and ends all ranks. Skipped where there is no MPI, but for what is said then.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/ranks_support.sh"

# refused TEXT ARGUMENTS...: the command fails, and says the text once.
refused() {
  local text="$1" said
  shift
  checks=$((checks + 1))
  if said="$(timeout 120 "$stencilgen" "$@" 2>&1)"; then fail "this should fail: $*"; fi
  [ "$(grep -cF -- "$text" <<< "$said")" = 1 ] || fail "$* does not say once: $text"$'\n'"$said"
}

write_heat "M=37, N=29, T=5"

refused "--mpi-steps is about code for many machines" heat.idsl --target cpp --mpi-steps 2 -o heat.cpp
refused "--ranks: 0 is out of range" run heat.idsl --ranks 2x0
refused "--ranks-timeout is about runs on ranks" run heat.idsl --ranks-timeout 5
refused "--ranks-timeout: \`soon\` is no number of seconds" run heat.idsl --ranks 2 --ranks-timeout soon
refused "[mpi-no-axis]" "$source_dir/tests/golden/ranks/no_axis.idsl" --mpi --target cpp -o cycle.cpp
[ ! -e cycle.cpp ] || fail "a file was written in spite of the error"
if said="$(MPICXX= MPIRUN= PATH="$PWD" "$stencilgen" run heat.idsl --ranks 2 2>&1)"; then
  fail "MPI without MPI"
fi
[[ "$said" == *"--ranks needs mpicxx, which is not in PATH"*"openmpi-bin libopenmpi-dev"* ]] ||
  fail "without MPI: $said"

export MPICXX=mpicxx-of-mine
refused "--ranks needs \`mpicxx-of-mine\`, which MPICXX names, and there is no such program" \
  run heat.idsl --ranks 2
export MPICXX="$mpicxx"

# What `--explain` says of code for ranks.
said="$("$stencilgen" heat.idsl --mpi --target cpp --mpi-steps 1 --explain -o heat.cpp 2>&1)"
for line in "  axis j: M points, ghosts 1 and 1" "  loop T" "    exchange u 1:1 1:1" \
  "1 of 1 exchanges can be hidden" "  messages   from the memory of the CPU"; do
  [[ "$said" == *"$line"* ]] || fail "--explain does not say: $line"$'\n'"$said"
done
said="$("$stencilgen" heat.idsl --mpi --explain -o heat.cu 2>&1)"
[[ "$said" == *"  messages   from the GPU's memory where MPI says that it sends from there, else"* ]] ||
  fail "--explain of CUDA code: $said"
checks=$((checks + 2))

need_mpi

same heat.idsl 1 --mpi-steps 2
same heat.idsl 3x2 --mpi-steps 2 -D T=6
[[ "$said" == *"  rank 5 "*" waited "*" sent 9 messages, "* ]] || fail "no line for each rank: $said"
same heat.idsl 2 --mpi-steps 4 -D T=1
same heat.idsl 4 --mpi-steps 3 -D M=40,N=7,T=6
same heat.idsl 6 --mpi-steps 1 -D T=3

# Several threads a rank, which touch their rows of the arrays first.
OMP_NUM_THREADS=3 same heat.idsl 2 --mpi-steps 2 -D M=7,N=9,T=3

# A ring: a rank may be its own neighbour, or have one neighbour on both sides.
cat > ring.idsl <<'END'
parameter M=23, N=31, T=5;
iterator j, i;
double u[M,N], v[M,N], w[M];
boundary u = wrap, v = wrap;
copyin u, v, w;
stencil flow (v, u, w) {
  v[j][i] = 0.5*u[j-2][i-1] + 0.25*(u[j+1][i] + u[j][i+1])*w[j] + 0.01*j;
}
iterate t : T { flow (v, u, w); swap u, v; }
copyout u;
END
for ranks in 1 2 3 4; do same ring.idsl $ranks --mpi-steps $((ranks % 3 + 1)); done

same "$source_dir/examples/boundary/boundary.idsl" 2x2 -D M=40,N=33
same "$source_dir/examples/wave2d/wave2d.idsl" 3 -D M=47,N=51,T=5 --mpi-steps 2
same "$source_dir/examples/shot/shot.idsl" 4
same "$source_dir/examples/advect1d/advect1d.idsl" 2 --mpi-steps 4
same "$source_dir/examples/walls/walls.idsl" 2x2
stencils="$source_dir/benchmarks/stencils"
same "$stencils/acoustic/acoustic.idsl" 2x2x1 -D L=21,M=18,N=17,T=5
same "$stencils/heat3d-periodic/heat3d-periodic.idsl" 2x2 -D L=21,M=18,N=17,T=5
same "$stencils/clover2d-flux/clover2d-flux.idsl" 3 -D M=29,N=67
same "$stencils/fdtd2d/fdtd2d.idsl" 3 -D M=31,N=22,T=4 --mpi-steps 2
same "$stencils/lbm-d2q9/lbm-d2q9.idsl" 2 -D M=31,N=22,T=3

# counts RANKS STEPS: exchanges, and by rank messages and bytes.
counts() {
  checks=$((checks + 1))
  "$stencilgen" run heat.idsl --ranks "$1" --mpi-steps "$2" -D M=40,N=30,T=8 --repeat 1 --json |
    grep -o '"exchanges":[0-9]*,"messages":[0-9]*,"bytes":[0-9]*' | tr -dc '0-9,\n'
}
# Two ranks, one below the other: a message an exchange; k rows of 30 doubles for k turns.
[ "$(counts 2x1 1)" = $'8,8,1920\n8,8,1920' ] || fail "two ranks: $(counts 2x1 1)"
[ "$(counts 2x1 4)" = $'2,2,1920\n2,2,1920' ] || fail "two ranks, 4 steps: $(counts 2x1 4)"
# Four in a square: rows of 15 and columns of 20, each in a message; of the corner two turns read a
# point, and one turn reads nothing.
[ "$(counts 2x2 1)" = $'8,16,2240\n8,16,2240\n8,16,2240\n8,16,2240' ] ||
  fail "four ranks, a step: $(counts 2x2 1)"
[ "$(counts 2x2 2)" = $'4,12,2272\n4,12,2272\n4,12,2272\n4,12,2272' ] ||
  fail "four ranks: $(counts 2x2 2)"

refused "6 ranks are too many: each needs at least 4 x 4 points of 8 x 7; at most 2 fit here" \
  run heat.idsl --ranks 6 --mpi-steps 4 -D M=8,N=7
refused "--ranks has 3 numbers, but ranks share the points along 2 iterators" \
  run heat.idsl --ranks 2x2x1
refused "the iteration count T - 9 is negative" run <(sed 's/iterate T/iterate T-9/' heat.idsl) --ranks 2

# As many ranks as there are cores.
same heat.idsl "1x*" -D M=40,N=40,T=3

# A rank that is killed ends the run, and so does time that is up; nothing is left behind.
real="$(command -v "$mpirun")"
mkdir starters
cat > starters/mpirun <<END
#!/usr/bin/env bash
[ "\$1" != --version ] || exec "$real" --version
"$real" "\$@" &
starter=\$!
for n in {1..100}; do
  [ "\$(youngest_of \$starter)" = \$starter ] || break
  sleep 0.1
done
sleep 1
kill -9 "\$(youngest_of \$starter)"
wait \$starter
END
chmod +x starters/mpirun
long=(run heat.idsl --ranks 2 -D M=200,N=200,T=100000000 --repeat 1 --out u=killed.npy)
if said="$(MPIRUN="$PWD/starters/mpirun" timeout 120 "$stencilgen" "${long[@]}" 2>&1)"; then
  fail "a rank was killed, and nobody says so"
fi
[ "$(grep -c "a rank was ended by signal 9 (Killed), and the others with it" <<< "$said")" = 1 ] ||
  fail "a killed rank: $said"
refused "the ranks were ended after 2 s, which --ranks-timeout allows" "${long[@]}" --ranks-timeout 2
[ ! -e killed.npy ] || fail "ranks that were ended have left a file"
! pgrep -f "$work.*/ranks" > /dev/null || fail "ranks are left behind"
checks=$((checks + 2))

# An application of its own: the class, whole arrays, and ranks that do not agree.
"$stencilgen" heat.idsl --mpi --target cpp --mpi-steps 2 -o heat.cpp --header heat_mpi.h
cat > app.cpp <<'END'
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "heat_mpi.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rows = 20, columns = 10, steps = 5;
  std::vector<double> u(rows * columns, 0.0), v(rows * columns, 0.0);
  u[95] = v[95] = 1.0;
  int status = heat_mpi(MPI_COMM_WORLD, u.data(), 0.2, rows, columns, steps);
  try {
    const int grid[] = {0, 1};
    heat_Distributed heat(MPI_COMM_WORLD, rows, columns, grid);
    heat.scatter(heat_ranks_u, v.data());
    heat.run(0.2, steps);
    heat.gather(heat_ranks_u, v.data());
    long long shape[2], first[2], end[2], place[2];
    if (heat_ranks_local(heat.get(), heat_ranks_u, shape, first, end, place) == nullptr) status = 9;
    if (heat_ranks_local(heat.get(), 7, shape, first, end, place) != nullptr) status = 9;
    if (shape[1] != columns || end[0] - first[0] < rows / 3) status = 9;
    const heat_Distributed::Part part = heat.local(heat_ranks_u);
    for (int d = 0; d < 2; ++d) {
      if (part.shape[d] != shape[d] || part.first[d] != first[d]) status = 9;
      if (part.end[d] != end[d] || part.place[d] != place[d]) status = 9;
    }
    const auto* local = static_cast<const double*>(part.elements);
    std::vector<double> own(static_cast<std::size_t>((end[0] - first[0]) * (end[1] - first[1])));
    heat.download(heat_ranks_u, own.data());
    std::size_t at = 0;
    for (long long j = part.first[0]; j < part.end[0]; ++j) {
      for (long long i = part.first[1]; i < part.end[1]; ++i) {
        if (local[j * part.shape[1] + i] != own[at++]) status = 9;
      }
    }
    if (heat.local(7).elements != nullptr) status = 9;
    if (argc > 2 && rank == 1) std::abort();
    if (argc > 1) heat_Distributed other(MPI_COMM_WORLD, rows + rank, columns);
  } catch (const stencilgen::Error& error) {
    if (rank == 0) std::fprintf(stderr, "%s\n", error.what());
    status = error.status();
  }
  if (rank == 0 && u != v) status = 8;
  if (rank == 0) std::printf("status %d\n", status);
  MPI_Finalize();
  return status;
}
END
"$mpicxx" -std=c++17 -Wall -Wextra -Werror -fopenmp app.cpp heat.cpp -o app ||
  fail "the generated code draws warnings"
"$mpicxx" -std=c++17 -Wall -Wextra -Werror -Wno-unknown-pragmas -fsyntax-only heat.cpp ||
  fail "the generated code draws warnings without OpenMP"
set_start -n 3
said="$(timeout 60 "${start[@]}" ./app)" || fail "the application fails: $said"
[ "$said" = "status 0" ] || fail "the application says: $said"
if said="$(timeout 60 "${start[@]}" ./app differ 2>&1)"; then fail "ranks differ, and nobody says so"; fi
[ "$(grep -cF 'ranks have different programs, sizes or shapes of the grid' <<< "$said")" = 1 ] ||
  fail "ranks differ: $said"
# A rank that dies takes the others with it.
died=0
timeout 60 "${start[@]}" ./app and die > died 2>&1 || died=$?
[ $died != 0 ] && [ $died != 124 ] || fail "a rank died, and the others ended with $died"
checks=$((checks + 3))

[ $checks -ge 25 ] || fail "there were only $checks checks"
exit $failed
