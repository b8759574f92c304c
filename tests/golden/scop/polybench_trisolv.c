// PolyBench's trisolv.
#define DATA_TYPE double
#define _PB_N n
void kernel_trisolv(int n, DATA_TYPE L[n][n], DATA_TYPE x[n], DATA_TYPE b[n])
{
  int i, j;

#pragma scop
  for (i = 0; i < _PB_N; i++)
    {
      x[i] = b[i];
      for (j = 0; j <i; j++)
        x[i] -= L[i][j] * x[j];
      x[i] = x[i] / L[i][i];
    }
#pragma endscop
}
// ----
polybench_trisolv.c:13:27: error: `x[j]`, which has been written as `x[i]`, is read in later iterations of `i` [scop-dependence]
   13 |         x[i] -= L[i][j] * x[j];
      |                           ^~~~
polybench_trisolv.c:14:7: note: written here
   14 |       x[i] = x[i] / L[i][i];
      |       ^~~~
polybench_trisolv.c:9:3: note: the loop that is in the way
    9 |   for (i = 0; i < _PB_N; i++)
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
