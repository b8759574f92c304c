#!/usr/bin/env bash
# ranks_multigrid_test.sh STENCILGEN SOURCE_DIR: grids of several resolutions on ranks. A whole V-cycle
# of three levels gives the bits of one machine; so do files, an application's parts of arrays, and
# the benchmark that interpolates; messages and bytes are those that are predicted. Skipped where
# there is no MPI.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/ranks_support.sh"
need_mpi

cat > cycle.idsl <<'END'
// V-cycles for a Poisson equation: each level has half as many points along each iterator.
parameter M=12, N=16, T=3;
iterator j, i;
double u[4*M+1,4*N+1], f[4*M+1,4*N+1], r[4*M+1,4*N+1];
double e[2*M+1,2*N+1], g[2*M+1,2*N+1], s[2*M+1,2*N+1];
double d[M+1,N+1], h[M+1,N+1];
copyin u, f, r, e, g, s, d, h;
stencil smooth (u, f) {
  u[j][i] = 0.25*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1] + f[j][i]);
}
stencil residual (r, u, f) {
  r[j][i] = f[j][i] - (4*u[j][i] - u[j-1][i] - u[j+1][i] - u[j][i-1] - u[j][i+1]);
}
stencil restrict_to (g, r) {
  g[j][i] = 0.25*r[2*j][2*i] +
      0.125*(r[2*j-1][2*i] + r[2*j+1][2*i] + r[2*j][2*i-1] + r[2*j][2*i+1]) +
      0.0625*(r[2*j-1][2*i-1] + r[2*j+1][2*i-1] + r[2*j-1][2*i+1] + r[2*j+1][2*i+1]);
}
stencil clear (e) { e[j][i] = 0; }
stencil correct (u, e) {
  u[2*j][2*i] += e[j][i];
  u[2*j][2*i+1] += 0.5*(e[j][i] + e[j][i+1]);
  u[2*j+1][2*i] += 0.5*(e[j][i] + e[j+1][i]);
  u[2*j+1][2*i+1] += 0.25*(e[j][i] + e[j][i+1] + e[j+1][i] + e[j+1][i+1]);
}
iterate T {
  smooth (u, f);
  residual (r, u, f);
  restrict_to (g, r);
  clear (e);
  smooth (e, g);
  residual (s, e, g);
  restrict_to (h, s);
  clear (d);
  smooth (d, h);
  smooth (d, h);
  correct (e, d);
  smooth (e, g);
  correct (u, e);
  smooth (u, f);
}
copyout u;
END
for ranks in 1 2x2; do same cycle.idsl $ranks; done
same cycle.idsl 3x1 --mpi-steps 1 -D M=23,N=7
STENCILGEN_OVERLAP=always same cycle.idsl 1x3 --mpi-steps 1 -D M=5,N=61
[[ "$said" == *"computed during at most 3 exchanges"* ]] || fail "nothing was overlapped:"$'\n'"$said"
same cycle.idsl 2 --mpi-steps 2 -D M=29,N=5,T=5
cycle3d="$source_dir/benchmarks/stencils/vcycle-interpolation/vcycle-interpolation.idsl"
for ranks in 1x2x2 3x1x2; do same "$cycle3d" $ranks -D L=11,M=10,N=19; done
same "$source_dir/benchmarks/stencils/vcycle-restriction/vcycle-restriction.idsl" 2x2x1 -D L=11,M=10,N=9

# What a sum is of, an element that all ranks read, and arrays that wrap around.
cat > around.idsl <<'END'
parameter N=12, T=4;
iterator i;
double fine[3*N], coarse[N], total;
boundary fine = wrap, coarse = wrap;
copyin fine, coarse;
stencil step (fine, coarse, total) {
  total = sum(0.01*fine[i]);
  coarse[i] = 0.2*(fine[3*i-1] + fine[3*i] + fine[3*i+4]) + total + 0.001*i;
  fine[3*i] = 0.5*coarse[i];
  fine[3*i+1] = 0.3*(coarse[i] + coarse[i+1]);
  fine[3*i+2] = 0.2*(coarse[i-1] + coarse[i+2]) + 0.001*i;
}
iterate T { step (fine, coarse, total); }
copyout fine, coarse;
END
for ranks in 1 2 3 4; do same around.idsl $ranks; done

# A file of one run goes on in another one.
half=(--fp strict --repeat 1 -D M=12,N=16)
"$stencilgen" run cycle.idsl --ranks 2x2 "${half[@]}" -D T=1 --out u=half.npy > first.txt || fail "T=1"
"$stencilgen" run cycle.idsl --ranks 2 "${half[@]}" -D T=1 --in u=half.npy --out u=ranks.npy > second.txt ||
  fail "a run does not go on"
"$stencilgen" run cycle.idsl --target cpp "${half[@]}" -D T=1 --in u=half.npy --out u=one.npy > one.txt
cmp -s ranks.npy one.npy || fail "a run that goes on gives other values"
checks=$((checks + 1))

# Messages and bytes of an exchange: ghosts of both arrays, in elements of each.
cat > pair.idsl <<'END'
parameter M=40, N=16;
iterator j, i;
double fine[2*M+1,N], coarse[M+1,N], v[2*M+1,N];
copyin fine, coarse, v;
stencil pair (v, fine, coarse) {
  v[2*j][i] = fine[2*j+3][i] + coarse[j][i];
  v[2*j+1][i] = fine[2*j+1][i] + coarse[j+1][i];
}
pair (v, fine, coarse);
copyout v;
END
same pair.idsl 2x1 --json
# The lower rank gets elements 2n + 1 (of fine) and n (of coarse) beyond its own ones, rows of 16.
[[ "$said" == *'"exchanges":1,"messages":0,"bytes":0'* && "$said" == *'"exchanges":1,"messages":1,"bytes":384'* ]] ||
  fail "messages of two resolutions:"$'\n'"$said"
predicted="$("$stencilgen" explain pair.idsl --target cpp --ranks 2 --json)"
[[ "$predicted" == *'"messages":1,"bytes":384'* ]] || fail "predicted: $predicted"
checks=$((checks + 1))

# An application's parts of arrays.
"$stencilgen" pair.idsl --mpi --target cpp -o pair.cpp --header pair.h
cat > app.cpp <<'END'
#include <cstdio>
#include <vector>

#include "pair.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rows = 10, columns = 3;
  std::vector<double> fine((2 * rows + 1) * columns), coarse((rows + 1) * columns);
  for (std::size_t n = 0; n < fine.size(); ++n) fine[n] = static_cast<double>(n);
  for (std::size_t n = 0; n < coarse.size(); ++n) coarse[n] = 1000.0 * static_cast<double>(n);
  int status = 0;
  try {
    pair_Distributed pair(MPI_COMM_WORLD, rows, columns);
    pair.scatter(pair_ranks_fine, fine.data());
    pair.scatter(pair_ranks_coarse, coarse.data());
    pair.run();
    const pair_Distributed::Part part = pair.local(pair_ranks_v);
    // Five points each, of two rows; the row that is left over is the last rank's.
    const long long own = rank == 0 ? 10 : 11;
    if (part.end[0] - part.first[0] != own) status = 9;
    if (part.place[0] + part.first[0] != 10 * rank) status = 9;
    const auto* local = static_cast<const double*>(part.elements);
    for (long long j = part.first[0]; j < part.end[0]; ++j) {
      const long long row = part.place[0] + j;
      if (row > 2 * rows - 3) continue;
      for (int i = 0; i < columns; ++i) {
        const long long c = (row + 1) / 2, f = row % 2 == 0 ? row + 3 : row;
        const double expected = static_cast<double>(f * columns + i) + 1000.0 * static_cast<double>(c * columns + i);
        if (local[j * columns + i] != expected) status = 8;
      }
    }
    std::vector<double> whole(fine.size());
    pair.gather(pair_ranks_v, whole.data());
    if (rank == 0 && whole[7] != static_cast<double>((2 + 3) * columns + 1) + 1000.0 * (columns + 1)) status = 7;
  } catch (const stencilgen::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = error.status();
  }
  std::printf("status %d\n", status);
  MPI_Finalize();
  return status;
}
END
"$mpicxx" -std=c++17 -Wall -Wextra -Werror -fopenmp app.cpp pair.cpp -o app || fail "the code draws warnings"
set_start -n 2
[ "$(timeout 60 "${start[@]}" ./app | grep -c "status 0")" = 2 ] || fail "an application's parts of arrays"
checks=$((checks + 1))

[ $failed = 0 ] && echo "$checks checks passed"
exit $failed
