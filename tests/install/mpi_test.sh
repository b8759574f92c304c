#!/usr/bin/env bash
# mpi_test.sh BUILD SOURCE: a project with a library for the ranks of MPI, by the installed package.
# Skipped where there is no MPI.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if ! command -v mpicxx > /dev/null || ! command -v mpirun > /dev/null; then
  echo "skipped: there is no MPI"
  exit 77
fi
install_tool
mkdir app
cp "$source_dir/examples/cg/cg.idsl" app
cat > app/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(solve LANGUAGES CXX)
find_package(stencilgen CONFIG REQUIRED)
stencilgen_add_library(programs FILES cg.idsl MPI OPTIONS --fp strict)
add_executable(solve main.cpp)
target_link_libraries(solve PRIVATE programs)
# The same with the arrays on GPUs.
stencilgen_add_library(programs_gpu FILES cg.idsl MPI TARGET emulator OPTIONS --fp strict)
add_executable(solve_gpu main.cpp)
target_link_libraries(solve_gpu PRIVATE programs_gpu)
CMAKE
cat > app/main.cpp <<'CPP'
#include <cstdio>
#include <vector>

#include "cg.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 0;
  double residual = 0;
  try {
    const int rows = 20, columns = 30;
    cg_Distributed cg(MPI_COMM_WORLD, rows, columns);
    std::vector<double> x(rows * columns, 0.0), b(rows * columns, 1.0);
    cg.scatter(cg_ranks_x, x.data());
    cg.scatter(cg_ranks_b, b.data());
    cg.run(1000);
    cg.gather(cg_ranks_residual, &residual);
  } catch (const stencilgen::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  if (rank == 0) std::printf("residual %.3e\n", residual);
  MPI_Finalize();
  return status != 0 || (rank == 0 && !(residual < 1e-3 && residual > 0));
}
CPP
configure app out -G Ninja
make_all out
start=(mpirun -n 2)
if mpirun --version | grep -q "Open MPI"; then
  start+=(--oversubscribe --quiet)
  if [ "$(id -u)" = 0 ]; then start+=(--allow-run-as-root); fi
fi
for program in solve solve_gpu; do
  timeout 120 "${start[@]}" ./out/$program > said || fail "$program fails: $(cat said)"
  grep -q "^residual [0-9.]*e-" said || fail "$program prints: $(cat said)"
  [ ! -e before ] || cmp -s before said || fail "a GPU makes $(cat said) of $(cat before)"
  mv said before
done
