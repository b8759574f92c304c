#!/usr/bin/env bash
# ranks_mismatch_test.sh STENCILGEN SOURCE_DIR: ranks that do not have the same sizes, options,
# arguments or code, and arrays that are not of a rank's size: all ranks end, with a status, and one
# line on stderr says why. Skipped where there is no MPI.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/ranks_support.sh"

need_mpi
write_heat "M=37, N=29, T=5"

# app ARGUMENTS: rows, columns, ranks along j, turns, alpha, and elements more than a rank has; what
# follows `odd` is the last rank's alone. It runs the class; `whole` before all, the function on whole arrays.
cat > app.cpp <<'END'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "heat.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool whole = std::strcmp(argv[1], "whole") == 0;
  if (rank + 1 == size && argc > 8) argv += 7;
  const int rows = std::atoi(argv[2]), columns = std::atoi(argv[3]), turns = std::atoi(argv[5]);
  const int grid[] = {std::atoi(argv[4]), 0};
  const double alpha = std::atof(argv[6]);
  const int more = std::atoi(argv[7]);
  if (whole) {
    std::vector<double> u(static_cast<std::size_t>(rows * columns), 1.0);
    status = heat_mpi(MPI_COMM_WORLD, rank == 0 ? u.data() : nullptr, alpha, rows, columns, turns);
    if (rank == 0 && status != 0) std::fprintf(stderr, "%s\n", heat_mpi_error());
    MPI_Finalize();
    return status;
  }
  bool all = true;  // whatever fails fails on all ranks
  try {
    heat_Distributed heat(MPI_COMM_WORLD, rows, columns, grid);
    const heat_Distributed::Part part = heat.local(heat_ranks_u);
    const long long own = (part.end[0] - part.first[0]) * (part.end[1] - part.first[1]);
    all = false;
    std::vector<double> mine(static_cast<std::size_t>(own + more), 1.0);
    heat.upload(heat_ranks_u, mine);
    all = true;
    heat.run(alpha, turns);
    all = false;
    heat.download(heat_ranks_u, mine);
    for (const double value : mine) status = value == 1.0 ? status : 9;
  } catch (const stencilgen::Error& error) {
    status = error.status();
    if (rank == 0 || !all) std::fprintf(stderr, "%s\n", error.what());
    if (!all) MPI_Abort(MPI_COMM_WORLD, status);
  }
  MPI_Finalize();
  return status;
}
END
# build NAME ARGUMENTS...: the application with code by such options.
build() {
  local name="$1"
  shift
  "$stencilgen" heat.idsl --mpi --target cpp "$@" -o heat.cpp --header heat.h
  "$mpicxx" -std=c++17 -O1 -Wall -Wextra -Werror -fopenmp app.cpp heat.cpp -o "$name" ||
    fail "the generated code draws warnings"
}
build app --mpi-steps 2
build three --mpi-steps 3
build strict --mpi-steps 2 --fp strict
set_start

# differ TEXT COMMAND...: it ends soon, with a status other than 0, and says that once, and no more.
differ() {
  local text="$1" status=0
  shift
  checks=$((checks + 1))
  timeout 60 "${start[@]}" "$@" > out.txt 2> said.txt || status=$?
  [ $status != 0 ] && [ $status != 124 ] || fail "$* ends with $status: $(cat said.txt)"
  [ "$(grep -cxF -- "$text" said.txt)" = 1 ] || fail "$* does not say once: $text"$'\n'"$(cat said.txt)"
}
same=(20 10 0 5 0.2 0)
timeout 60 "${start[@]}" -n 3 ./app class "${same[@]}" || fail "ranks that agree"
timeout 60 "${start[@]}" -n 3 ./app whole "${same[@]}" || fail "ranks that agree, on whole arrays"
timeout 60 "${start[@]}" -n 1 ./app class "${same[@]}" : -n 2 ./app class "${same[@]}" ||
  fail "two groups of ranks that agree"
checks=$((checks + 3))

programs="ranks have different programs, sizes or shapes of the grid"
arguments="ranks have different arguments"
for how in class whole; do
  differ "$programs" -n 3 ./app $how "${same[@]}" odd 21 10 0 5 0.2 0
  differ "$programs" -n 3 ./app $how "${same[@]}" odd 10 20 0 5 0.2 0
  differ "$arguments" -n 3 ./app $how "${same[@]}" odd 20 10 0 6 0.2 0
  differ "$arguments" -n 3 ./app $how "${same[@]}" odd 20 10 0 5 0.3 0
  for other in three strict; do
    differ "$programs" -n 2 ./app $how "${same[@]}" : -n 1 ./$other $how "${same[@]}"
  done
done
# The function on whole arrays chooses its grid.
differ "$programs" -n 2 ./app class "${same[@]}" odd 20 10 2 5 0.2 0
# Wrong on every rank alike.
differ "the iteration count T is negative" -n 2 ./app class 20 10 0 -1 0.2 0
differ "a grid of a multiple of 3 ranks was asked for, but there are 2" -n 2 ./app class 20 10 3 5 0.2 0
# An array of another size, on one rank.
differ "this rank has 100 elements of the array, not 103" -n 2 ./app class "${same[@]}" odd 20 10 0 5 0.2 3
differ "this rank has 100 elements of the array, not 90" -n 2 ./app class "${same[@]}" odd 20 10 0 5 0.2 -10

[ $checks -ge 20 ] || fail "there were only $checks checks"
exit $failed
