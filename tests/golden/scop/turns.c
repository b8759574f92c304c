// Turns that are no sum of sizes.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int t = 0; t < n && t < m; t++)
    for (int i = 0; i < 9; i++) a[i] = 2 * a[i];
#pragma endscop
}
// ----
turns.c:5:3: error: how often this loop runs is no sum of sizes [c-turns]
    5 |   for (int t = 0; t < n && t < m; t++)
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: compute the bound before the region, in a variable of its own
