/* PolyBench's fdtd-2d. */
void fdtd(int tmax, double ex[30][40], double ey[30][40], double hz[30][40], double fict[100]) {
#pragma scop
  for (int t = 0; t < 100; t++) {
    for (int j = 0; j < 40; j++) ey[0][j] = fict[t];
    for (int i = 1; i < 30; i++)
      for (int j = 0; j < 40; j++) ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < 30; i++)
      for (int j = 1; j < 40; j++) ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < 29; i++)
      for (int j = 0; j < 39; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
#pragma endscop
}
