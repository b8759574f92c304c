#include <cstdio>

void f(double* in, double* out, int M, int N) {
#pragma \
  dsl /* twice
  as long */ begin blo\
k:32,16,4 str\
  eam:j
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
spliced_argument.cpp:6:20: error: `blok` is no argument of a block [unknown-argument]
    6 |   as long */ begin blo\
      |                    ^~~~
  hint: did you mean `block`?
spliced_argument.cpp:7:11: error: `str` is no argument of a block [unknown-argument]
    7 | k:32,16,4 str\
      |           ^~~
  hint: arguments are block, unroll, stream, shmem, name, mpi, and the options of programs and GPU code that `stencilgen --help` lists
spliced_argument.cpp:8:3: error: `eam` is no argument of a block [unknown-argument]
    8 |   eam:j
      |   ^~~
  hint: arguments are block, unroll, stream, shmem, name, mpi, and the options of programs and GPU code that `stencilgen --help` lists
