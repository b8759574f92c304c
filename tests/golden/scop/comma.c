// Two expressions in one.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) a[i] = (b[i], 2.0);
#pragma endscop
}
// ----
comma.c:5:39: error: a region has no counterpart for the operator `,` [c-expression]
    5 |   for (int i = 0; i < n; i++) a[i] = (b[i], 2.0);
      |                                       ^~~~~~~~~
