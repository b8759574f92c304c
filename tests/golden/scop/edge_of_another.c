// A rule for edges that are not the array's.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) b[i] = a[(i + 1) % n];
#pragma endscop
}
// ----
edge_of_another.c:5:38: error: `a` is read at places that are no shift of the point that is computed [c-index]
    5 |   for (int i = 0; i < n; i++) b[i] = a[(i + 1) % n];
      |                                      ^~~~~~~~~~~~~~
  hint: subscripts are a counter plus or minus a number or a size: `u[i+1][j]`
