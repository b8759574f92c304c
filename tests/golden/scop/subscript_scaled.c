// Every second element, all points.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 50; i++) a[2 * i] = b[i];
#pragma endscop
}
// ----
subscript_scaled.c:5:43: error: `b` is read at places that are no shift of the point that is computed [c-index]
    5 |   for (int i = 0; i < 50; i++) a[2 * i] = b[i];
      |                                           ^~~~
  hint: subscripts are a counter plus or minus a number or a size: `u[i+1][j]`
