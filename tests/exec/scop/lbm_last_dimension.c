/* The velocity as the last dimension, as Pluto's lbm.c has it. */
#include "check.h"
#define NX 33
#define NY 26
#define T 7
double grid[2][NY + 2 + 2][NX + 2][9];
int main(void) {
  int t, y, x;
  const double omega = 1.2, w0 = 4.0 / 9, w1 = 1.0 / 9, w2 = 1.0 / 36;
  double rho, ux, uy, u2;
  FILL(grid, double);
#pragma scop
  for (t = 0; t < T; ++t) {
    for (y = 1; y <= NY; ++y) {
      for (x = 1; x <= NX; ++x) {
        rho = grid[t % 2][y][x][0] + grid[t % 2][y][x - 1][1] + grid[t % 2][y][x + 1][2] + grid[t % 2][y - 1][x][3] + grid[t % 2][y + 1][x][4] + 10.0;
        ux = (grid[t % 2][y][x - 1][1] - grid[t % 2][y][x + 1][2]) / rho;
        uy = (grid[t % 2][y - 1][x][3] - grid[t % 2][y + 1][x][4]) / rho;
        u2 = 1.5 * (ux * ux + uy * uy);
        grid[(t + 1) % 2][y][x][0] = (1 - omega) * grid[t % 2][y][x][0] + omega * w0 * rho * (1 - u2);
        grid[(t + 1) % 2][y][x][1] = (1 - omega) * grid[t % 2][y][x - 1][1] + omega * w1 * rho * (1 + 3 * ux + 4.5 * ux * ux - u2);
        grid[(t + 1) % 2][y][x][2] = (1 - omega) * grid[t % 2][y][x + 1][2] + omega * w1 * rho * (1 - 3 * ux + 4.5 * ux * ux - u2);
        grid[(t + 1) % 2][y][x][3] = (1 - omega) * grid[t % 2][y - 1][x][3] + omega * w1 * rho * (1 + 3 * uy + 4.5 * uy * uy - u2);
        grid[(t + 1) % 2][y][x][4] = (1 - omega) * grid[t % 2][y + 1][x][4] + omega * w2 * rho * (1 - 3 * uy + 4.5 * uy * uy - u2);
      }
    }
  }
#pragma endscop
  ADD(grid);
  PRINT();
  return 0;
}
