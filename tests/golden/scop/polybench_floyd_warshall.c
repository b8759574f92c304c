// PolyBench's floyd-warshall.
#define DATA_TYPE int
#define _PB_N n
void kernel_floyd_warshall(int n, DATA_TYPE path[n][n])
{
  int i, j, k;

#pragma scop
  for (k = 0; k < _PB_N; k++)
    {
      for(i = 0; i < _PB_N; i++)
	for (j = 0; j < _PB_N; j++)
	  path[i][j] = path[i][j] < path[i][k] + path[k][j] ?
	    path[i][j] : path[i][k] + path[k][j];
    }
#pragma endscop
}
// ----
polybench_floyd_warshall.c:13:30: error: `path[i][k]`, which has been written as `path[i][j]`, is read in later iterations of `j` [scop-dependence]
   13 |       path[i][j] = path[i][j] < path[i][k] + path[k][j] ?
      |                                 ^~~~~~~~~~
polybench_floyd_warshall.c:13:4: note: written here
   13 |       path[i][j] = path[i][j] < path[i][k] + path[k][j] ?
      |       ^~~~~~~~~~
polybench_floyd_warshall.c:12:2: note: the loop that is in the way
   12 |     for (j = 0; j < _PB_N; j++)
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_floyd_warshall.c:13:43: error: `path[k][j]`, which has been written as `path[i][j]`, is read in later iterations of `i` [scop-dependence]
   13 |       path[i][j] = path[i][j] < path[i][k] + path[k][j] ?
      |                                              ^~~~~~~~~~
polybench_floyd_warshall.c:13:4: note: written here
   13 |       path[i][j] = path[i][j] < path[i][k] + path[k][j] ?
      |       ^~~~~~~~~~
polybench_floyd_warshall.c:11:7: note: the loop that is in the way
   11 |       for(i = 0; i < _PB_N; i++)
      |       ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_floyd_warshall.c:14:19: error: `path[i][k]`, which has been written as `path[i][j]`, is read in later iterations of `j` [scop-dependence]
   14 |         path[i][j] : path[i][k] + path[k][j];
      |                      ^~~~~~~~~~
polybench_floyd_warshall.c:13:4: note: written here
   13 |       path[i][j] = path[i][j] < path[i][k] + path[k][j] ?
      |       ^~~~~~~~~~
polybench_floyd_warshall.c:12:2: note: the loop that is in the way
   12 |     for (j = 0; j < _PB_N; j++)
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
polybench_floyd_warshall.c:14:32: error: `path[k][j]`, which has been written as `path[i][j]`, is read in later iterations of `i` [scop-dependence]
   14 |         path[i][j] : path[i][k] + path[k][j];
      |                                   ^~~~~~~~~~
polybench_floyd_warshall.c:13:4: note: written here
   13 |       path[i][j] = path[i][j] < path[i][k] + path[k][j] ?
      |       ^~~~~~~~~~
polybench_floyd_warshall.c:11:7: note: the loop that is in the way
   11 |       for(i = 0; i < _PB_N; i++)
      |       ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: iterations need what others have written at distances that differ, as in a factorisation: no array assignment computes that. End the region before this loop
