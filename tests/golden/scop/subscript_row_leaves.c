// A linear subscript that is in no row of the others.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, double *p) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) p[i * n + j] = p[i * n + j + n * n * n];
#pragma endscop
}
// ----
subscript_row_leaves.c:6:48: error: other subscripts of `p` say a row and a place in it, which this one does not [c-rows]
    6 |     for (int j = 0; j < n; j++) p[i * n + j] = p[i * n + j + n * n * n];
      |                                                ^~~~~~~~~~~~~~~~~~~~~~~~
  hint: rows have one length: `u[i*m + j]`; or give the array its dimensions: `double (*u)[m]`
