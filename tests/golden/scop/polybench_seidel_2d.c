// PolyBench's seidel-2d.
void kernel_seidel_2d(int tsteps, int n, double A[40][40])
{
  int t, i, j;

#pragma scop
  for (t = 0; t <= tsteps - 1; t++)
    for (i = 1; i<= n - 2; i++)
      for (j = 1; j <= n - 2; j++)
	A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1]
		   + A[i][j-1] + A[i][j] + A[i][j+1]
		   + A[i+1][j-1] + A[i+1][j] + A[i+1][j+1])/(9.0);
#pragma endscop
}
// ----
polybench_seidel_2d.c:10:13: error: `A[i-1][j-1]`, which has been written as `A[i][j]`, is read one iteration of `i` later [scop-dependence]
   10 |     A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1]
      |                ^~~~~~~~~~~
polybench_seidel_2d.c:10:2: note: written here
   10 |     A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1]
      |     ^~~~~~~
polybench_seidel_2d.c:8:5: note: the loop that is in the way
    8 |     for (i = 1; i<= n - 2; i++)
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once, from values before it: update in two colours (all even points, then all odd ones), or write a second array
polybench_seidel_2d.c:10:27: error: `A[i-1][j]`, which has been written as `A[i][j]`, is read one iteration of `i` later [scop-dependence]
   10 |     A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1]
      |                              ^~~~~~~~~
polybench_seidel_2d.c:10:2: note: written here
   10 |     A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1]
      |     ^~~~~~~
polybench_seidel_2d.c:8:5: note: the loop that is in the way
    8 |     for (i = 1; i<= n - 2; i++)
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once, from values before it: update in two colours (all even points, then all odd ones), or write a second array
polybench_seidel_2d.c:10:39: error: `A[i-1][j+1]`, which has been written as `A[i][j]`, is read one iteration of `i` later [scop-dependence]
   10 |     A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1]
      |                                          ^~~~~~~~~~~
polybench_seidel_2d.c:10:2: note: written here
   10 |     A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1]
      |     ^~~~~~~
polybench_seidel_2d.c:8:5: note: the loop that is in the way
    8 |     for (i = 1; i<= n - 2; i++)
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once, from values before it: update in two colours (all even points, then all odd ones), or write a second array
polybench_seidel_2d.c:11:8: error: `A[i][j-1]`, which has been written as `A[i][j]`, is read one iteration of `j` later [scop-dependence]
   11 |            + A[i][j-1] + A[i][j] + A[i][j+1]
      |              ^~~~~~~~~
polybench_seidel_2d.c:10:2: note: written here
   10 |     A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1]
      |     ^~~~~~~
polybench_seidel_2d.c:9:7: note: the loop that is in the way
    9 |       for (j = 1; j <= n - 2; j++)
      |       ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once, from values before it: update in two colours (all even points, then all odd ones), or write a second array
