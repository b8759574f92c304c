// A sum over more neighbours than are written out.
double u[200], w[40], v[200];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) v[i] += w[k] * u[i + k];
#pragma endscop
}
// ----
two_counters.c:6:48: error: this subscript adds `k`, which counts a loop around the points, to a counter of the points [c-two-counters]
    6 |     for (int k = 0; k < m; k++) v[i] += w[k] * u[i + k];
      |                                                ^~~~~~~~
two_counters.c:6:5: note: the loop that stays one
    6 |     for (int k = 0; k < m; k++) v[i] += w[k] * u[i + k];
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: a loop over neighbours whose bounds are numbers, with at most 16 turns, is written out; other sums of counters have no counterpart
