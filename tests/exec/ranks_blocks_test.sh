#!/usr/bin/env bash
# ranks_blocks_test.sh STENCILGEN SOURCE_DIR: a block of a C++ file that runs on the ranks of a
# communicator gives the same bits on any number of them, in C++ and in CUDA on the emulator; what is
# wrong with its arguments is said. Skipped where there is no MPI, but for what is said then.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/ranks_support.sh"

cat > app.cpp <<'END'
#include <mpi.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rows = 30, columns = 21;
  int rank = 0;
  MPI_Comm everyone = MPI_COMM_WORLD;
  MPI_Comm_rank(everyone, &rank);
  int M = rows, N = columns, T = 6;
  double alpha = 0.2;
  std::vector<double> u(rows * columns, 0.0);
  u[95] = 1.0;
#pragma dsl begin name:heat mpi:everyone mpi-steps:2 fp:strict
  parameter M, N, T;
  iterator j, i;
  double u[M,N], alpha;
  copyin u, alpha;
  stencil heat (u, alpha) {
    u[j][i] += alpha*(u[j-1][i] + u[j][i-1] - 4.0*u[j][i] + u[j][i+1] + u[j+1][i]);
  }
  iterate T { heat (u, alpha); }
  copyout u;
#pragma dsl end
  double sum = 0;
  for (double value : u) sum += value * value;
  if (rank == 0) std::printf("%.17g\n", sum);
  MPI_Finalize();
}
END

# refused TEXT SED: the file is refused where it is changed so.
refused() {
  local said
  checks=$((checks + 1))
  sed "$2" app.cpp > bad.cpp
  if said="$("$stencilgen" bad.cpp --target cpp -o bad.gen.cpp 2>&1)"; then fail "this should fail: $2"; fi
  [[ "$said" == *"$1"* ]] || fail "$2 does not say: $1"$'\n'"$said"
  [ ! -e bad.gen.cpp ] || fail "a file was written in spite of the error"
}
refused "\`mpi\` takes the name of a communicator" "s/mpi:everyone/mpi:1x/"
refused "[mpi-without-name]" "s/name:heat //"
refused "hint: say \`mpi\` too" "s/mpi:everyone//"
cat > loops.c <<'END'
void blur(int n, double *restrict v, const double *restrict u) {
#pragma scop
  for (int i = 1; i < n - 1; ++i) v[i] = 0.5*(u[i-1] + u[i+1]);
#pragma endscop
}
END
if said="$("$stencilgen" loops.c --mpi --target cpp -o loops.gen.cpp 2>&1)"; then fail "loops on ranks"; fi
[[ "$said" == *"[mpi-of-code]"* ]] || fail "loops on ranks: $said"
checks=$((checks + 1))

need_mpi
start=(mpirun)
if mpirun --version | grep -q "Open MPI"; then
  start+=(--oversubscribe --quiet)
  if [ "$(id -u)" = 0 ]; then start+=(--allow-run-as-root); fi
fi
sed 's/ mpi:everyone mpi-steps:2//' app.cpp > one.cpp
"$stencilgen" one.cpp --target cpp -o one.gen.cpp
mpicxx -std=c++17 -O2 -fopenmp -ffp-contract=off one.gen.cpp -o one
expected="$("${start[@]}" -n 1 ./one)"
"$stencilgen" app.cpp --target cpp -o app.gen.cpp --header heat.h
mpicxx -std=c++17 -O2 -Wall -Wextra -Werror -fopenmp -ffp-contract=off app.gen.cpp -o app ||
  fail "the generated code draws warnings"
grep -q "class heat_Distributed" heat.h || fail "the header has no class"
"$stencilgen" app.cpp -o app.cu
include="$source_dir/runtime/include"
mpicxx -std=c++17 -O1 -ffp-contract=off -DSTENCILGEN_EMULATOR -I "$include/stencilgen/emulator" \
  -I "$include" -x c++ app.cu -x none -lboost_context -o app_cuda || fail "the CUDA code"
for program in app app_cuda; do
  for ranks in 1 2 5; do
    checks=$((checks + 1))
    said="$(timeout 60 "${start[@]}" -n $ranks ./$program)" || fail "$program fails: $said"
    [ "$said" = "$expected" ] || fail "$program on $ranks ranks: $said, one machine: $expected"
  done
done
[ $checks -ge 10 ] || fail "there were only $checks checks"
exit $failed
