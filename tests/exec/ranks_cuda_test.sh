#!/usr/bin/env bash
# ranks_cuda_test.sh STENCILGEN SOURCE_DIR: CUDA code for ranks, on the emulator of a GPU, gives the
# bits of the interpreter, with messages from pinned memory and from that of the GPU; nvcc compiles it
# without a word, where there is one. Skipped where there is no MPI.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/ranks_support.sh"
need_mpi
export STENCILGEN_OVERLAP=never

# emulated FILE RANKS ARGUMENTS...: the same bits as the interpreter.
emulated() {
  local file="$1" ranks="$2"
  shift 2
  checks=$((checks + 1))
  if ! said="$(timeout 300 "$stencilgen" run "$file" --ranks "$ranks" --fp strict --verify \
      --emulate "$@" 2>&1)"; then
    fail "$file on $ranks ranks, $*:"$'\n'"$said"
  fi
  [[ "$said" == *"target cuda, on the emulator"* ]] || fail "no CUDA code: $said"
}

write_heat "M=37, N=29, T=5"
emulated heat.idsl 1 --mpi-steps 2
emulated heat.idsl 3x2 --mpi-steps 2 -D T=6
[[ "$said" == *"  messages   from pinned memory of the CPU, as the emulator does"* ]] ||
  fail "where messages are: $said"
STENCILGEN_MPI_CUDA=direct emulated heat.idsl 8 --mpi-steps 1
[[ "$said" == *"  messages   from the GPU's memory, as STENCILGEN_MPI_CUDA=direct asks for"* ]] ||
  fail "where messages are: $said"
STENCILGEN_MPI_CUDA=staged emulated heat.idsl 2 --mpi-steps 1
[[ "$said" == *"from pinned memory of the CPU, as STENCILGEN_MPI_CUDA=staged asks for"* ]] ||
  fail "where messages are: $said"
STENCILGEN_OVERLAP=always emulated heat.idsl 2x2 --mpi-steps 1
[[ "$said" == *"during at most 5 exchanges"* ]] || fail "not overlapped: $said"

# Fields of elements of different sizes share a message; a rank may be its own neighbour.
cat > mixed.idsl <<'END'
parameter M=23, N=31, T=5;
iterator j, i;
float u[M,N], v[M,N];
double a[M,N], b[M,N];
int mark[M,N];
boundary u = wrap, v = wrap, a = wrap, b = wrap, mark = wrap;
copyin u, v, a, b, mark;
stencil flow (v, u, b, a, mark) {
  v[j][i] = 0.5*u[j-2][i-1] + 0.25*(u[j+1][i] + u[j][i+1])*mark[j-1][i];
  b[j][i] = 0.5*a[j-1][i] + 0.25*(u[j][i-1] + a[j][i+1]) + 0.01*j;
}
iterate t : T { flow (v, u, b, a, mark); swap u, v; swap a, b; }
copyout u, a;
END
for ranks in 1 2 3 4; do emulated mixed.idsl $ranks --mpi-steps $((ranks % 3 + 1)); done
STENCILGEN_OVERLAP=always emulated mixed.idsl 3 --mpi-steps 1

examples="$source_dir/examples"
stencils="$source_dir/benchmarks/stencils"
emulated "$examples/boundary/boundary.idsl" 2x2 -D M=40,N=33
emulated "$examples/wave2d/wave2d.idsl" 3 -D M=47,N=51,T=5 --mpi-steps 2
STENCILGEN_OVERLAP=always emulated "$examples/wave2d/wave2d.idsl" 2 -D M=61,N=51,T=4 --mpi-steps 2
emulated "$examples/shot/shot.idsl" 4 -D M=60,N=50,T=20
emulated "$examples/walls/walls.idsl" 2x2 -D M=40,N=40
# Reductions, conditions that end a loop, and scalars that change from turn to turn.
emulated "$examples/cg/cg.idsl" 2x2 -D M=20,N=18,T=12
STENCILGEN_OVERLAP=always emulated "$examples/cg/cg.idsl" 2 -D M=20,N=18,T=6
emulated "$stencils/acoustic/acoustic.idsl" 2x2x1 -D L=21,M=18,N=17,T=5
emulated "$stencils/heat3d-periodic/heat3d-periodic.idsl" 2x2 -D L=21,M=18,N=17,T=5
emulated "$stencils/fdtd2d/fdtd2d.idsl" 3 -D M=31,N=22,T=4 --mpi-steps 2

# Files: what two ranks have written, three go on with.
checks=$((checks + 1))
run=("$stencilgen" run heat.idsl --scalar alpha=0.2 --emulate --fp strict)
"${run[@]}" --ranks 2 -D T=6 --snapshot u=u.npy --every 2 --out u=end.npy > said 2>&1 ||
  fail "snapshots: $(cat said)"
"${run[@]}" --ranks 3 -D T=2 --in u=u-4.npy --out u=again.npy > said 2>&1 || fail "$(cat said)"
cmp end.npy again.npy || fail "a snapshot does not go on"

# What goes wrong is said once.
checks=$((checks + 1))
if said="$(STENCILGEN_MPI_CUDA=fast timeout 60 "$stencilgen" run heat.idsl --ranks 2 --emulate 2>&1)"
then fail "a switch that does not exist"; fi
[ "$(grep -cF 'STENCILGEN_MPI_CUDA is `fast`: it may be `auto`, `direct` or `staged`' <<< "$said")" = 1 ] ||
  fail "a switch: $said"

# The class, with the parts of ranks in memory of the CPU.
cat > app.cpp <<'END'
#include <cstdio>
#include <string>
#include <vector>

#include "heat_mpi.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rows = 20, columns = 10, steps = 5;
  std::vector<double> u(rows * columns, 0.0), v(rows * columns, -1.0);
  u[95] = 1.0;
  int status = 0;
  std::string path;
  try {
    heat_Distributed heat(MPI_COMM_WORLD, rows, columns);
    path = heat_ranks_path(heat.get());
    long long shape[2], first[2], end[2], place[2];
    if (heat_ranks_local(heat.get(), heat_ranks_u, shape, first, end, place) == nullptr) status = 9;
    std::vector<double> own;
    for (long long j = first[0] + place[0]; j < end[0] + place[0]; ++j) {
      for (long long i = first[1] + place[1]; i < end[1] + place[1]; ++i) {
        own.push_back(u[static_cast<std::size_t>(j * columns + i)]);
      }
    }
    heat.upload(heat_ranks_u, own.data());
    heat.run(0.2, steps);
    std::vector<double> result(own.size());
    heat.download(heat_ranks_u, result.data());
    if (result == own && rank == 1) status = 7;
    heat.gather(heat_ranks_u, v.data());
  } catch (const stencilgen::Error& error) {
    if (rank == 0) std::fprintf(stderr, "%s\n", error.what());
    status = error.status();
  }
  if (status == 0 && heat_mpi(MPI_COMM_WORLD, u.data(), 0.2, rows, columns, steps) != 0) status = 6;
  if (rank == 0 && u != v) status = 8;
  if (rank == 0) std::printf("status %d\n", status);
  if (rank == 0 && argc > 1) std::printf("messages %s\n", path.c_str());
  MPI_Finalize();
  return status;
}
END
checks=$((checks + 1))
"$stencilgen" heat.idsl --mpi -o heat.cu --header heat_mpi.h --fp strict
include="$source_dir/runtime/include"
# build NAME ARGUMENTS...: the application on the emulator.
build() {
  local name="$1"
  shift
  "$mpicxx" -std=c++17 -Wall -Wextra -Werror -ffp-contract=off -DSTENCILGEN_EMULATOR "$@" \
    -I "$include/stencilgen/emulator" -I "$include" app.cpp -x c++ heat.cu -x none -lboost_context \
    -o "$name" || fail "the generated code draws warnings"
}
build app
set_start -n 2
said="$(timeout 60 "${start[@]}" ./app)" || fail "the application fails: $said"
[ "$said" = "status 0" ] || fail "the application says: $said"

# What MPI says of itself decides where messages are.
mkdir extension
cat > extension/mpi-ext.h <<'END'
#define MPIX_CUDA_AWARE_SUPPORT 1
inline int MPIX_Query_cuda_support() { return SAYS; }
END
paths=("from pinned memory of the CPU, since this MPI does not send from a GPU's memory"
  "from the GPU's memory, which this MPI sends from")
for says in 0 1; do
  checks=$((checks + 1))
  build app$says -DSAYS=$says -I extension
  said="$(STENCILGEN_MPI_CUDA=auto timeout 60 "${start[@]}" ./app$says path)" || fail "auto: $said"
  [ "$said" = $'status 0\nmessages '"${paths[$says]}" ] || fail "MPI says $says: $said"
done

if command -v nvcc > /dev/null; then
  for program in heat.idsl mixed.idsl "$examples/cg/cg.idsl"; do
    checks=$((checks + 1))
    "$stencilgen" "$program" --mpi -o code.cu
    said="$(nvcc -ccbin "$mpicxx" -std=c++17 -arch=sm_90 -Xcompiler -Wall,-Wextra,-Werror -c code.cu \
      -o code.o 2>&1)" || fail "nvcc refuses $program: $said"
    [ -z "$said" ] || fail "nvcc about $program: $said"
  done
  # Real GPUs: an MPI that does not take their memory though it should, and none to be found.
  nvcc -ccbin "$mpicxx" -std=c++17 -arch=sm_90 -DSAYS=0 -I extension app.cpp heat.cu -o app_gpu ||
    fail "nvcc refuses the application"
  # ends TEXT: on all ranks, with a status, and rank 0 says why.
  ends() {
    local status=0
    checks=$((checks + 1))
    timeout 60 "${start[@]}" ./app_gpu > out.txt 2> said.txt || status=$?
    [ $status != 0 ] && [ $status != 124 ] || fail "$1: ends with $status"
    [ "$(grep -cF -- "$1" said.txt)" = 1 ] || fail "not said once: $1"$'\n'"$(cat said.txt)"
  }
  STENCILGEN_MPI_CUDA=direct ends "STENCILGEN_MPI_CUDA is \`direct\`, but this MPI does not send from"
  CUDA_VISIBLE_DEVICES= ends "looking for a GPU: "
fi

[ $checks -ge 24 ] || fail "there were only $checks checks"
exit $failed
