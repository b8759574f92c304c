#!/usr/bin/env bash
# ranks_blocks_test.sh STENCILGEN SOURCE_DIR: a block of a C++ file that runs on the ranks of a
# communicator gives the same bits on any number of them, in C++ and in CUDA on the emulator, and so
# do loops of one; what is wrong with its arguments is said. Skipped where there is no MPI, but for
# what is said then.
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
refused "hint: say \`mpi\` too" "s/mpi:everyone//"
cat > loops.c <<'END'
void blur(int n, double *restrict v, const double *restrict u) {
#pragma scop
  for (int i = 1; i < n - 1; ++i) v[i] = 0.5*(u[i-1] + u[i+1]);
#pragma endscop
}
END
if said="$("$stencilgen" loops.c --mpi --target cpp -o loops.gen.c 2>&1)"; then fail "ranks in C"; fi
[[ "$said" == *"[mpi-of-c]"* ]] || fail "ranks in C: $said"
checks=$((checks + 1))

need_mpi
set_start
sed 's/ mpi:everyone mpi-steps:2//' app.cpp > one.cpp
"$stencilgen" one.cpp --target cpp -o one.gen.cpp
"$mpicxx" -std=c++17 -O2 -fopenmp -ffp-contract=off one.gen.cpp -o one
expected="$("${start[@]}" -n 1 ./one)"
"$stencilgen" app.cpp --target cpp -o app.gen.cpp --header heat.h
"$mpicxx" -std=c++17 -O2 -Wall -Wextra -Werror -fopenmp -ffp-contract=off app.gen.cpp -o app ||
  fail "the generated code draws warnings"
grep -q "class heat_Distributed" heat.h || fail "the header has no class"
"$stencilgen" app.cpp -o app.cu
include="$source_dir/runtime/include"
"$mpicxx" -std=c++17 -O1 -ffp-contract=off -DSTENCILGEN_EMULATOR -I "$include/stencilgen/emulator" \
  -I "$include" -x c++ app.cu -x none -lboost_context -o app_cuda || fail "the CUDA code"
# A block without a name.
sed 's/name:heat //' app.cpp > nameless.cpp
"$stencilgen" nameless.cpp --target cpp -o nameless.gen.cpp
"$mpicxx" -std=c++17 -O2 -Wall -Wextra -Werror -fopenmp -ffp-contract=off nameless.gen.cpp -o nameless ||
  fail "the code of a block without a name draws warnings"
# agrees EXPECTED RANKS COMMAND...: on so many ranks the command says that.
agrees() {
  local expected="$1" ranks="$2" said
  shift 2
  checks=$((checks + 1))
  said="$(timeout 60 "${start[@]}" -n "$ranks" "$@")" || fail "$* fails: $said"
  [ "$said" = "$expected" ] || fail "$* on $ranks ranks: $said, one machine: $expected"
}
for ranks in 1 2 5; do
  for program in app app_cuda nameless; do agrees "$expected" $ranks ./$program; done
done

# Loops of a C++ file. What holds for rank 0 decides whether ranks run them, or rank 0 as they are.
cat > region.cpp <<'END'
#include <complex>
void smooth(int m, int n, int turns, double* u, double* v) {
#pragma stencilgen mpi mpi-steps:2
#pragma scop
  for (int t = 0; t < turns; ++t) {
    for (int j = 1; j < m - 1; ++j) {
      for (int i = 1; i < n - 1; ++i) {
        v[j*n + i] = 0.25*(u[(j-1)*n + i] + u[(j+1)*n + i] + u[j*n + i - 1] + u[j*n + i + 1]);
      }
    }
    for (int j = 1; j < m - 1; ++j) {
      for (int i = 1; i < n - 1; ++i) u[j*n + i] = v[j*n + i];
    }
  }
#pragma endscop
}
void around(int n, double* u, double* v) {
#pragma stencilgen mpi mpi-steps:2
#pragma scop
  for (int i = 0; i < n; ++i) v[i] += 0.5*(u[(i + n - 3) % n] + u[(i + 2) % n]);
#pragma endscop
}
void turn(int n, std::complex<double>* z, std::complex<double> by) {
#pragma stencilgen mpi
#pragma scop
  for (int i = 0; i < n - 1; ++i) z[i] = by*z[i + 1] - std::conj(z[i]);
#pragma endscop
}
END
cat > main.cpp <<'END'
#include <mpi.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

void smooth(int m, int n, int turns, double* u, double* v);
void around(int n, double* u, double* v);
void turn(int n, std::complex<double>* z, std::complex<double> by);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int m = 27, n = 18;
  const int turns = rank == 0 ? std::atoi(argv[1]) : 5;
  std::vector<double> a(2*m*n, rank == 0 ? 0.0 : 7.0);
  if (rank == 0) a[95] = a[130] = 1.0;
  smooth(m, n, turns, a.data(), a.data() + m*n);
  around(std::atoi(argv[2]), a.data(), a.data() + m*n);
  std::vector<std::complex<double>> z(rank == 0 ? 90 : 0);  // nobody looks at those of others
  for (std::size_t k = 0; k < z.size(); ++k) z[k] = {0.01*k, 1.0/(k + 1)};
  turn(90, z.data(), {0.3, -0.7});
  double sum = 0;
  for (double value : a) sum += value * value;
  for (std::size_t k = 0; k < z.size(); ++k) sum += k * z[k].real() - z[k].imag();
  if (rank == 0) std::printf("%.17g\n", sum);
  MPI_Finalize();
}
END
"$mpicxx" -std=c++17 -O2 -c main.cpp
"$mpicxx" -std=c++17 -O2 -Wno-unknown-pragmas -ffp-contract=off main.o region.cpp -o plain
"$stencilgen" region.cpp --target cpp --fp strict -o region.gen.cpp
"$mpicxx" -std=c++17 -O2 -Wall -Wextra -Werror -fopenmp -ffp-contract=off main.o region.gen.cpp \
  -o region || fail "the code of a region draws warnings"
for arguments in "5 96" "0 1"; do
  for ranks in 1 2 4; do agrees "$(./plain $arguments)" $ranks ./region $arguments; done
done
[ $checks -ge 18 ] || fail "there were only $checks checks"
exit $failed
