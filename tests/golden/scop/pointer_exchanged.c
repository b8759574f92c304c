// A pointer into an array that another pointer names after the first turn.
double u[100][100], v[100][100], a[100], b[100], s;
void run(double* p, double* q, int n) {
#pragma scop
  {
    double* last = p + 10 * n;
    for (int t = 0; t < 10; t++) {
      for (int i = 1; i < n - 1; i++) q[i] = last[i] + p[i - 1] + p[i + 1];
      double* other = p;
      p = q;
      q = other;
    }
  }
#pragma endscop
}
// ----
pointer_exchanged.c:6:5: error: this refers to an element by way of `p`, which changes [c-reference]
    6 |     double* last = p + 10 * n;
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~
