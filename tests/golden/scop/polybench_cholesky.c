// PolyBench's cholesky.
#include <math.h>
#define DATA_TYPE double
#define SQRT_FUN(x) sqrt(x)
#define _PB_N n
void kernel_cholesky(int n, DATA_TYPE A[n][n])
{
  int i, j, k;

#pragma scop
  for (i = 0; i < _PB_N; i++) {
     //j<i
     for (j = 0; j < i; j++) {
        for (k = 0; k < j; k++) {
           A[i][j] -= A[i][k] * A[j][k];
        }
        A[i][j] /= A[j][j];
     }
     // i==j case
     for (k = 0; k < i; k++) {
        A[i][i] -= A[i][k] * A[i][k];
     }
     A[i][i] = SQRT_FUN(A[i][i]);
  }
#pragma endscop
}
// ----
polybench_cholesky.c:15:23: error: `A[i][k]`, which has been written as `A[i][j]`, is read in later iterations of `j` [scop-dependence]
   15 |            A[i][j] -= A[i][k] * A[j][k];
      |                       ^~~~~~~
polybench_cholesky.c:17:9: note: written here
   17 |         A[i][j] /= A[j][j];
      |         ^~~~~~~
polybench_cholesky.c:13:6: note: the loop that is in the way
   13 |      for (j = 0; j < i; j++) {
      |      ^~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_cholesky.c:15:33: error: `A[j][k]`, which has been written as `A[i][j]`, is read in later iterations of `i` [scop-dependence]
   15 |            A[i][j] -= A[i][k] * A[j][k];
      |                                 ^~~~~~~
polybench_cholesky.c:17:9: note: written here
   17 |         A[i][j] /= A[j][j];
      |         ^~~~~~~
polybench_cholesky.c:11:3: note: the loop that is in the way
   11 |   for (i = 0; i < _PB_N; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_cholesky.c:17:20: error: `A[j][j]`, which has been written as `A[i][i]`, is read in later iterations of `i` [scop-dependence]
   17 |         A[i][j] /= A[j][j];
      |                    ^~~~~~~
polybench_cholesky.c:21:9: note: written here
   21 |         A[i][i] -= A[i][k] * A[i][k];
      |         ^~~~~~~
polybench_cholesky.c:11:3: note: the loop that is in the way
   11 |   for (i = 0; i < _PB_N; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
