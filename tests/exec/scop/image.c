/* What image filters and grids are written like: a clamped index in an integer of its own, turns
   that end early, and masks. */
#include <math.h>

#include "check.h"

#define WIDTH 31
#define HEIGHT 22
static const float weights[5] = {1 / 16.f, 4 / 16.f, 6 / 16.f, 4 / 16.f, 1 / 16.f};
static float image[HEIGHT][WIDTH], rows[HEIGHT][WIDTH], edges[HEIGHT][WIDTH];
static double u[40][30], v[40][30];
static int mask[40][30];

static void blur_rows(void) {
#pragma scop
  for (int y = 0; y <= HEIGHT - 1; y++)
    for (int x = 0; x <= WIDTH - 1; x++) {
      float sum = 0;
      for (int k = -2; k <= 2; k++) {
        int at = x + k;
        if (at < 0) at = 0;
        if (at > WIDTH - 1) at = WIDTH - 1;
        sum += weights[k + 2] * image[y][at];
      }
      rows[y][x] = sum;
    }
#pragma endscop
}

static void sobel(int h, int w, const float *a, float *b) {
#pragma scop
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int n = y > 0 ? y - 1 : 0, s = y < h - 1 ? y + 1 : h - 1;
      int l = x > 0 ? x - 1 : 0, r = x < w - 1 ? x + 1 : w - 1;
      float gx = a[n * w + r] + 2 * a[y * w + r] + a[s * w + r] - a[n * w + l] -
                 2 * a[y * w + l] - a[s * w + l];
      float gy = a[s * w + l] + 2 * a[s * w + x] + a[s * w + r] - a[n * w + l] -
                 2 * a[n * w + x] - a[n * w + r];
      b[y * w + x] = sqrtf(gx * gx + gy * gy);
    }
#pragma endscop
}

/* Turns that end early, by the place and by values. */
static void inside(int m, int n, const double *a, double *b) {
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      if (i == 0 || j == 0 || i == m - 1 || j == n - 1) {
        b[i * n + j] = 0;
        continue;
      }
      b[i * n + j] = a[(i - 1) * n + j] + a[i * n + j + 1];
    }
#pragma endscop
}

static void masked(unsigned m) {
#pragma scop
  for (unsigned i = 1; i < m - 1; i++)
    for (int j = 28; j >= 1; --j) {
      if (mask[i][j] < 0) continue;
      double flow = u[i - 1][j] + u[i + 1][j];
      if (mask[i][j] > 50) {
        v[i][j] = flow;
        continue;
      } else {
        flow *= 0.5;
      }
      v[i][j] = flow - mask[i][j] * u[i][j - 1];
    }
#pragma endscop
}

/* Of two loops that are written out, only the outer one goes over neighbours. */
static void weighted(void) {
#pragma scop
  for (int i = 2; i < 38; i++)
    for (int j = 0; j < 30; j++) {
      double sum = 0;
      for (int p = -1; p <= 1; p++) {
        if (p != 0) {
          for (int q = 0; q < 4; q++) sum += weights[q] * p * u[i + p][j];
        } else {
          sum += u[i][j];
        }
      }
      v[i][j] = sum;
    }
#pragma endscop
}

/* A turn of a loop over steps that ends early. */
static void sometimes(int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < 39; i++)
      for (int j = 1; j < 29; j++) v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j - 1]);
    for (int i = 1; i < 39; i++) {
      if (i % 2 == 1) continue;
      for (int j = 1; j < 29; j++) u[i][j] = v[i][j];
    }
  }
#pragma endscop
}

int main(void) {
  FILL(image, float);
  FILL(rows, float);
  FILL(edges, float);
  FILL(u, double);
  FILL(v, double);
  FILL(mask, int);
  blur_rows();
  sobel(HEIGHT, WIDTH, &rows[0][0], &edges[0][0]);
  inside(40, 30, &u[0][0], &v[0][0]);
  ADD(v);
  masked(40);
  ADD(v);
  weighted();
  ADD(v);
  sometimes(3);
  ADD(rows);
  ADD(edges);
  ADD(u);
  ADD(v);
  PRINT();
  return 0;
}
