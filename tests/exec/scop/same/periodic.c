/* Pluto's heat-1dp: neighbours across the edges. */
void heat(double u[2][500]) {
#pragma scop
  for (int t = 0; t < 30; t++)
    for (int i = 0; i < 500; i++)
      u[(t + 1) % 2][i] = 0.125 * (u[t % 2][i == 499 ? 0 : i + 1] - 2.0 * u[t % 2][i] +
                                   u[t % 2][i == 0 ? 499 : i - 1]);
#pragma endscop
}
