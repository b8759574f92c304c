// Subscripts that say rows are no reason to refuse anything, whatever else is refused.
void run(int n, int m, double *p, double *q) {
#pragma scop
  for (int i = 1; i < n - 1; i++)
    for (int j = 0; j < m; j++) q[i * m + j] = p[(i - 1) * m + j] + p[(i + 1) * m + j];
  while (n > 0) q[0] = 1;
#pragma endscop
}
// ----
subscripts_beside.c:6:3: error: a region has no counterpart for a loop that is not `for` [c-statement]
    6 |   while (n > 0) q[0] = 1;
      |   ^
  hint: count its turns: for (int t = 0; t < steps; t++)
