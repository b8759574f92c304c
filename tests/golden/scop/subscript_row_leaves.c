// A linear subscript that leaves its row.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, double *p) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) p[i * n + j] = p[i * n + j + n * n];
#pragma endscop
}
// ----
subscript_row_leaves.c:6:35: error: this subscript is not a sum of loops' counters and sizes, each times a number [c-not-affine]
    6 |     for (int j = 0; j < n; j++) p[i * n + j] = p[i * n + j + n * n];
      |                                   ^~~~~~~~~
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
subscript_row_leaves.c:6:50: error: this subscript is not a sum of loops' counters and sizes, each times a number [c-not-affine]
    6 |     for (int j = 0; j < n; j++) p[i * n + j] = p[i * n + j + n * n];
      |                                                  ^~~~~~~~~~~~~~~~~
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
