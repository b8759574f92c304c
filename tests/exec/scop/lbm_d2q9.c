/* Lattice Boltzmann, nine velocities in the plane, with buffers by the parity of the step as Pluto's
   example has them: periodic along x, walls at the ends of y. */
#include "check.h"

#define NX 33
#define NY 26
#define T 7

double f[2][9][NY + 2][NX + 2];

int main(void) {
  int t, y, x;
  const double omega = 1.2, w0 = 4.0 / 9, w1 = 1.0 / 9, w2 = 1.0 / 36;
  FILL(f, double);
#pragma scop
  for (t = 0; t < T; ++t) {
    for (y = 1; y <= NY; ++y) {
      for (x = 1; x <= NX; ++x) {
        const double c = f[t % 2][0][y][x];
        const double e = f[t % 2][1][y][x - 1];
        const double w = f[t % 2][2][y][x + 1];
        const double n = f[t % 2][3][y - 1][x];
        const double s = f[t % 2][4][y + 1][x];
        const double ne = f[t % 2][5][y - 1][x - 1];
        const double nw = f[t % 2][6][y - 1][x + 1];
        const double se = f[t % 2][7][y + 1][x - 1];
        const double sw = f[t % 2][8][y + 1][x + 1];
        double rho = c + e + w + n + s + ne + nw + se + sw + 10.0;
        const double ux = (e - w + ne - nw + se - sw) / rho;
        const double uy = (n - s + ne + nw - se - sw) / rho;
        const double u2 = 1.5 * (ux * ux + uy * uy);
        f[(t + 1) % 2][0][y][x] = (1 - omega) * c + omega * w0 * rho * (1 - u2);
        f[(t + 1) % 2][1][y][x] = (1 - omega) * e + omega * w1 * rho * (1 + 3 * ux + 4.5 * ux * ux - u2);
        f[(t + 1) % 2][2][y][x] = (1 - omega) * w + omega * w1 * rho * (1 - 3 * ux + 4.5 * ux * ux - u2);
        f[(t + 1) % 2][3][y][x] = (1 - omega) * n + omega * w1 * rho * (1 + 3 * uy + 4.5 * uy * uy - u2);
        f[(t + 1) % 2][4][y][x] = (1 - omega) * s + omega * w1 * rho * (1 - 3 * uy + 4.5 * uy * uy - u2);
        f[(t + 1) % 2][5][y][x] =
            (1 - omega) * ne + omega * w2 * rho * (1 + 3 * (ux + uy) + 4.5 * (ux + uy) * (ux + uy) - u2);
        f[(t + 1) % 2][6][y][x] =
            (1 - omega) * nw + omega * w2 * rho * (1 + 3 * (uy - ux) + 4.5 * (uy - ux) * (uy - ux) - u2);
        f[(t + 1) % 2][7][y][x] =
            (1 - omega) * se + omega * w2 * rho * (1 + 3 * (ux - uy) + 4.5 * (ux - uy) * (ux - uy) - u2);
        f[(t + 1) % 2][8][y][x] =
            (1 - omega) * sw + omega * w2 * rho * (1 - 3 * (ux + uy) + 4.5 * (ux + uy) * (ux + uy) - u2);
      }
    }
  }
#pragma endscop
  ADD(f);
  PRINT();
  return 0;
}
