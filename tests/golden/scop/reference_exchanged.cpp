// A reference to an element of what another pointer names after the first turn.
void run(double* p, double* q, int n) {
#pragma scop
  {
    double& edge = p[3];
    for (int t = 0; t < 10; t++) {
      for (int i = 1; i < n - 1; i++) q[i] = edge + p[i - 1] + p[i + 1];
      double* other = p;
      p = q;
      q = other;
    }
  }
#pragma endscop
}
// ----
reference_exchanged.cpp:5:5: error: this refers to an element by way of `p`, which changes [c-reference]
    5 |     double& edge = p[3];
      |     ^~~~~~~~~~~~~~~~~~~
