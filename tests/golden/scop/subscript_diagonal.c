// A diagonal.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 99; i++) u[i][i] = 0;
#pragma endscop
}
// ----
subscript_diagonal.c:5:32: error: this is a diagonal of `u`: an array assignment computes boxes [c-points]
    5 |   for (int i = 0; i < 99; i++) u[i][i] = 0;
      |                                ^~~~~~~
  hint: loop over all points, and assign where the counters are equal: `if (i == j)`
