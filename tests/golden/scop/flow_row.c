// Each row needs the one before it.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 1; i < 100; i++)
    for (int j = 0; j < 100; j++) u[i][j] = u[i-1][j] + v[i][j];
#pragma endscop
}
// ----
flow_row.c:6:45: error: `u[i-1][j]`, which has been written as `u[i][j]`, is read one iteration of `i` later [scop-dependence]
    6 |     for (int j = 0; j < 100; j++) u[i][j] = u[i-1][j] + v[i][j];
      |                                             ^~~~~~~~~
flow_row.c:6:35: note: written here
    6 |     for (int j = 0; j < 100; j++) u[i][j] = u[i-1][j] + v[i][j];
      |                                   ^~~~~~~
flow_row.c:5:3: note: the loop that is in the way
    5 |   for (int i = 1; i < 100; i++)
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each value needs the one before it, as in a running sum or a solver along a line: no array assignment computes that. End the region before this loop
