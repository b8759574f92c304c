// Tiles that the code makes itself.
double u[100][100], v[100][100];
void run(int n, int m) {
#pragma scop
  for (int ii = 0; ii < n; ii += 4)
    for (int jj = 0; jj < m; jj += 4)
      for (int i = ii; i < (ii + 4 < n ? ii + 4 : n); i++)
        for (int j = jj; j < (jj + 4 < m ? jj + 4 : m); j++) v[i][j] = 2 * u[i][j];
#pragma endscop
}
// ----
tiles.c:4:1: error: it could not be found out what this region computes [scop-gave-up]
    4 | #pragma scop
      | ^~~~~~~~~~~~
  hint: write its loops without tiles of their own, each over all points
