// PolyBench's lu.
#define DATA_TYPE double
#define _PB_N n
void kernel_lu(int n, DATA_TYPE A[n][n])
{
  int i, j, k;

#pragma scop
  for (i = 0; i < _PB_N; i++) {
    for (j = 0; j <i; j++) {
       for (k = 0; k < j; k++) {
          A[i][j] -= A[i][k] * A[k][j];
       }
        A[i][j] /= A[j][j];
    }
   for (j = i; j < _PB_N; j++) {
       for (k = 0; k < i; k++) {
          A[i][j] -= A[i][k] * A[k][j];
       }
    }
  }
#pragma endscop
}
// ----
polybench_lu.c:12:22: error: `A[i][k]`, which has been written as `A[i][j]`, is read in later iterations of `j` [scop-dependence]
   12 |           A[i][j] -= A[i][k] * A[k][j];
      |                      ^~~~~~~
polybench_lu.c:14:9: note: written here
   14 |         A[i][j] /= A[j][j];
      |         ^~~~~~~
polybench_lu.c:10:5: note: the loop that is in the way
   10 |     for (j = 0; j <i; j++) {
      |     ^~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_lu.c:12:32: error: `A[k][j]`, which has been written as `A[i][j]`, is read in later iterations of `i` [scop-dependence]
   12 |           A[i][j] -= A[i][k] * A[k][j];
      |                                ^~~~~~~
polybench_lu.c:18:11: note: written here
   18 |           A[i][j] -= A[i][k] * A[k][j];
      |           ^~~~~~~
polybench_lu.c:9:3: note: the loop that is in the way
    9 |   for (i = 0; i < _PB_N; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_lu.c:14:20: error: `A[j][j]`, which has been written as `A[i][j]`, is read in later iterations of `i` [scop-dependence]
   14 |         A[i][j] /= A[j][j];
      |                    ^~~~~~~
polybench_lu.c:18:11: note: written here
   18 |           A[i][j] -= A[i][k] * A[k][j];
      |           ^~~~~~~
polybench_lu.c:9:3: note: the loop that is in the way
    9 |   for (i = 0; i < _PB_N; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
