// The bound is changed inside.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    n = n - 1;
  }
#pragma endscop
}
// ----
loop_bound_changed.c:5:23: error: this bound of a loop is not a sum of loops' counters and sizes, each times a number [c-not-affine]
    5 |   for (int i = 0; i < n; i++) {
      |                       ^
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
