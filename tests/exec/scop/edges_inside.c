/* Subscripts that go around: at the edges of arrays, and of parts of arrays, where no boundary mode
   says what they mean; by `?:`, `%`, and integers that an `if` sets. */
#include "check.h"

#define N 31
#define ROWS 14
#define COLUMNS 19

static double ring[2][N + 2], part[50], around[50], mirrored[50], out[50], both[50], mixed[50];
static double torus[ROWS][COLUMNS], torus_out[ROWS][COLUMNS], corner[ROWS + 3][COLUMNS + 2];

static void run(int n, int steps) {
#pragma scop
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < N; i++)
      ring[(t + 1) & 1][i] = 0.125 * (ring[t & 1][i == N - 1 ? 0 : i + 1] - 2.0 * ring[t & 1][i] +
                                      ring[t & 1][i == 0 ? N - 1 : i - 1]);
  for (int i = 0; i < n; i++)
    around[i] = part[i == 0 ? n - 1 : i - 1] + part[i == n - 1 ? 0 : i + 1];
  for (int i = 0; i < 50; i++)
    out[i] = mirrored[i == 0 ? 1 : i - 1] - mirrored[i == 49 ? 48 : i + 1];
  for (int i = 0; i < 50; i++) both[i] = mixed[(i + 1) % 50] + mixed[i > 0 ? i - 1 : 0];
  for (int i = 0; i < n; i++) both[i] -= around[(i + 1) % n];
  for (int i = 0; i < n; i++)
    part[i] = mirrored[i > 0 ? i - 1 : 0] - mirrored[(i + 1) % n];
#pragma endscop
#pragma scop
  for (int i = 0; i < ROWS; i++) {
    const int up = (i - 1 + ROWS) % ROWS, down = (i + 1) % ROWS;
    for (int j = 0; j < COLUMNS; j++) {
      int left = j - 1, right = j + 1;
      if (left < 0) left = COLUMNS - 1;
      if (right == COLUMNS) right = 0;
      torus_out[i][j] = torus[up][j] + torus[down][j] + torus[i][left] + torus[i][right];
    }
  }
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      torus[i][j] = corner[i < ROWS - 1 ? i + 1 : 0][j < COLUMNS - 1 ? j + 1 : 0];
#pragma endscop
}

int main(void) {
  FILL(ring, double);
  FILL(part, double);
  FILL(mirrored, double);
  FILL(mixed, double);
  FILL(torus, double);
  FILL(corner, double);
  run(40, 5);
  ADD(ring);
  ADD(around);
  ADD(out);
  ADD(both);
  ADD(torus);
  ADD(torus_out);
  run(50, 2);
  run(1, 0);
  ADD(ring);
  ADD(around);
  PRINT();
  return 0;
}
