// Pointers exchanged at the beginning of a turn.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, double *p, double *q) {
#pragma scop
  for (int t = 0; t < n; t++) {
    double *k = p; p = q; q = k;
    for (int i = 1; i < 99; i++) q[i] = p[i-1];
  }
#pragma endscop
}
// ----
pointer_swap_first.c:6:5: error: pointers are exchanged at the end of a loop, after all else [c-swap]
    6 |     double *k = p; p = q; q = k;
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~
