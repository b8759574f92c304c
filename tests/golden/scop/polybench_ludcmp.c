// PolyBench's ludcmp.
#define DATA_TYPE double
#define _PB_N n
void kernel_ludcmp(int n, DATA_TYPE A[n][n], DATA_TYPE b[n], DATA_TYPE x[n], DATA_TYPE y[n])
{
  int i, j, k;

  DATA_TYPE w;

#pragma scop
  for (i = 0; i < _PB_N; i++) {
    for (j = 0; j <i; j++) {
       w = A[i][j];
       for (k = 0; k < j; k++) {
          w -= A[i][k] * A[k][j];
       }
        A[i][j] = w / A[j][j];
    }
   for (j = i; j < _PB_N; j++) {
       w = A[i][j];
       for (k = 0; k < i; k++) {
          w -= A[i][k] * A[k][j];
       }
       A[i][j] = w;
    }
  }

  for (i = 0; i < _PB_N; i++) {
     w = b[i];
     for (j = 0; j < i; j++)
        w -= A[i][j] * y[j];
     y[i] = w;
  }

   for (i = _PB_N-1; i >=0; i--) {
     w = y[i];
     for (j = i+1; j < _PB_N; j++)
        w -= A[i][j] * x[j];
     x[i] = w / A[i][i];
  }
#pragma endscop
}
// ----
polybench_ludcmp.c:15:16: error: `A[i][k]`, which has been written as `A[i][j]`, is read in later iterations of `j` [scop-dependence]
   15 |           w -= A[i][k] * A[k][j];
      |                ^~~~~~~
polybench_ludcmp.c:17:9: note: written here
   17 |         A[i][j] = w / A[j][j];
      |         ^~~~~~~
polybench_ludcmp.c:12:5: note: the loop that is in the way
   12 |     for (j = 0; j <i; j++) {
      |     ^~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_ludcmp.c:15:26: error: `A[k][j]`, which has been written as `A[i][j]`, is read in later iterations of `i` [scop-dependence]
   15 |           w -= A[i][k] * A[k][j];
      |                          ^~~~~~~
polybench_ludcmp.c:24:8: note: written here
   24 |        A[i][j] = w;
      |        ^~~~~~~
polybench_ludcmp.c:11:3: note: the loop that is in the way
   11 |   for (i = 0; i < _PB_N; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_ludcmp.c:17:23: error: `A[j][j]`, which has been written as `A[i][j]`, is read in later iterations of `i` [scop-dependence]
   17 |         A[i][j] = w / A[j][j];
      |                       ^~~~~~~
polybench_ludcmp.c:24:8: note: written here
   24 |        A[i][j] = w;
      |        ^~~~~~~
polybench_ludcmp.c:11:3: note: the loop that is in the way
   11 |   for (i = 0; i < _PB_N; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_ludcmp.c:22:26: error: `A[k][j]`, which has been written as `A[i][j]`, is read in later iterations of `i` [scop-dependence]
   22 |           w -= A[i][k] * A[k][j];
      |                          ^~~~~~~
polybench_ludcmp.c:24:8: note: written here
   24 |        A[i][j] = w;
      |        ^~~~~~~
polybench_ludcmp.c:11:3: note: the loop that is in the way
   11 |   for (i = 0; i < _PB_N; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_ludcmp.c:31:24: error: `y[j]`, which has been written as `y[i]`, is read in later iterations of `i` [scop-dependence]
   31 |         w -= A[i][j] * y[j];
      |                        ^~~~
polybench_ludcmp.c:32:6: note: written here
   32 |      y[i] = w;
      |      ^~~~
polybench_ludcmp.c:28:3: note: the loop that is in the way
   28 |   for (i = 0; i < _PB_N; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_ludcmp.c:38:24: error: `x[j]`, which has been written as `x[i]`, is read in later iterations of `i` [scop-dependence]
   38 |         w -= A[i][j] * x[j];
      |                        ^~~~
polybench_ludcmp.c:39:6: note: written here
   39 |      x[i] = w / A[i][i];
      |      ^~~~
polybench_ludcmp.c:35:4: note: the loop that is in the way
   35 |    for (i = _PB_N-1; i >=0; i--) {
      |    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
