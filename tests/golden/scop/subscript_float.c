// A subscript that is cast.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[(int)(i * 0.5)] = 0;
#pragma endscop
}
// ----
subscript_float.c:5:33: error: this subscript is not a sum of loops' counters and sizes, each times a number [c-not-affine]
    5 |   for (int i = 0; i < n; i++) a[(int)(i * 0.5)] = 0;
      |                                 ^~~~~~~~~~~~~~
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
