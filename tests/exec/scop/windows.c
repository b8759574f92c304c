// Windows over neighbours whose places are set before they are read, each turn anew: clamped at the
// edges, left out there, and by the numbers of a table.
#include "check.h"

#define H 27
#define W 31

static const int opposite[5] = {0, 3, 4, 1, 2};
static unsigned char in[H][W], out[H][W];
static double u[H * W], v[H * W], f[5][H][W], g[5][H][W];

static void by_choice(void) {
#pragma scop
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int s = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -2; dx <= 2; dx++) {
          int yy = y + dy < 0 ? 0 : y + dy > H - 1 ? H - 1 : y + dy;
          int xx = x + dx < 0 ? 0 : x + dx > W - 1 ? W - 1 : x + dx;
          s += in[yy][xx];
        }
      out[y][x] = (s + 7) / 15;
    }
#pragma endscop
}

static void by_branches(void) {
#pragma scop
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int s = 0;
      for (int dy = -1; dy <= 1; dy++) {
        int yy = y + dy, xx = x - dy;
        if (yy < 0) yy = 0;
        if (yy >= H) yy = H - 1;
        if (xx < 0) xx = 0;
        if (xx >= W) xx = W - 1;
        s += in[yy][xx] + in[yy][x];
      }
      out[y][x] = s / 6;
    }
#pragma endscop
}

static void left_out(int n, int m, const double* a, double* b) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int p = -2; p <= 2; p++) {
        int x = j + p;
        if (x >= 0 && x < m) s += a[i * m + x];
      }
      b[i * m + j] = s;
    }
#pragma endscop
}

static void held(int n, int m, const double* a, double* b) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int p = -2; p <= 2; p++) {
        int x = j + p;
        if (x < 0) x = 0;
        if (x >= m) x = m - 1;
        s = s + a[i * m + x];
      }
      b[i * m + j] = s;
    }
#pragma endscop
}

static void turned(void) {
#pragma scop
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int q = 0; q < 5; q++) g[q][y][x] = 0.5 * f[opposite[q]][y][x];
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(f, double);
  FILL(g, double);
  for (int k = 0; k < H * W; k++) in[k / W][k % W] = (unsigned char)(k * 37 % 251);
  by_choice();
  ADD(out);
  by_branches();
  ADD(out);
  for (int n = 1; n < 4; n++)
    for (int m = 1; m < 9; m++) {
      left_out(n, m, u, v);
      held(n, m, v, u);
    }
  left_out(H, W, v, u);
  ADD(u);
  ADD(v);
  turned();
  ADD(g);
  PRINT();
  return 0;
}
