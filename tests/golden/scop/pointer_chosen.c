// One of two pointers.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m, double *p, double *q) {
#pragma scop
  for (int i = 0; i < n; i++) (m > 0 ? p : q)[i] = 0;
#pragma endscop
}
// ----
pointer_chosen.c:5:32: error: this is no element of an array that the region names [c-place]
    5 |   for (int i = 0; i < n; i++) (m > 0 ? p : q)[i] = 0;
      |                                ^~~~~~~~~~~~~
  hint: arrays are named, as `u[i][j]`, `p->u[i]` or `u[i*n + j]`
