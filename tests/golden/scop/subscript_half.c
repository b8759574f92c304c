// Half of a counter.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[i / 2] = b[i];
#pragma endscop
}
// ----
subscript_half.c:5:31: error: `a` is read at places that are no shift of the point that is computed [c-index]
    5 |   for (int i = 0; i < n; i++) a[i / 2] = b[i];
      |                               ^~~~~~~~
  hint: subscripts are a counter plus or minus a number or a size: `u[i+1][j]`
