/* Two buffers by the parity of the step, as Pluto and AN5D have them. */
void heat(int steps, int n, float u[2][64][64]) {
#pragma scop
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < 63; i++)
      for (int j = 1; j < 63; j++)
        u[(t + 1) % 2][i][j] = 0.5f * u[t % 2][i][j] + 0.125f * (u[t % 2][i - 1][j] + u[t % 2][i + 1][j]);
#pragma endscop
}
