// Two rules for one dimension.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 100; i++) b[i] = a[i > 0 ? i - 1 : 0] + a[(i + 1) % 100];
#pragma endscop
}
// ----
edge_mixed.c:5:63: error: `a` is read at places that are no shift of the point that is computed [c-index]
    5 |   for (int i = 0; i < 100; i++) b[i] = a[i > 0 ? i - 1 : 0] + a[(i + 1) % 100];
      |                                                               ^~~~~~~~~~~~~~~~
  hint: subscripts are a counter plus or minus a number or a size: `u[i+1][j]`
