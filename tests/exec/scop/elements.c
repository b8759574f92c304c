/* Several numbers at each point, beside each other in memory: colours, complex numbers, the values
   of a lattice Boltzmann method. */
#include "check.h"

#define M 17
#define N 23
double a[M * 4], b[M * 4], u[M * N * 3], v[M * N * 3], f[M * N * 9], g[M * N * 9], z[M * N * 2],
    y[M * N * 2], weight[3];
float image[M * N * 3], blurred[M * N * 3], grey[M * N], kernel[3][3];
static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

static void row(int n) {
#pragma scop
  for (int i = 1; i < n - 1; i++)
    for (int k = 0; k < 4; k++) b[i * 4 + k] = a[(i - 1) * 4 + k] + a[(i + 1) * 4 + k];
#pragma endscop
}

static void sizes_last(int m, int n, const double *from, double *to) {
#pragma scop
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int c = 0; c < 3; c++)
        to[i * n * 3 + j * 3 + c] = from[(i - 1) * n * 3 + j * 3 + c] +
                                    from[i * n * 3 + (j + 1) * 3 + c] * from[i * n * 3 + j * 3 + 1];
#pragma endscop
}

static void blur(int m, int n, const float *from, float *to) {
#pragma scop
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int c = 0; c < 3; c++) {
        float sum = 0;
        for (int p = 1; p >= -1; p--)
          for (int q = -1; q <= 1; q++)
            sum += kernel[p + 1][q + 1] * from[((i + p) * n + j + q) * 3 + c];
        to[(i * n + j) * 3 + c] = sum;
      }
#pragma endscop
}

static void to_grey(int m, int n, const float *from, float *to) {
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      to[i * n + j] = 0.3f * from[(i * n + j) * 3] + 0.6f * from[(i * n + j) * 3 + 1] +
                      0.1f * from[(i * n + j) * 3 + 2];
#pragma endscop
}

/* Another factor for each colour, which is no loop over neighbours; counted from one. */
static void weigh(int m, int n, double *to) {
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int c = 1; c <= 3; c++) to[(i * n + j) * 3 + c - 1] *= weight[c - 1];
#pragma endscop
}

static void stream(int m, int n, const double *from, double *to) {
#pragma scop
  for (int i = 1; i < m - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int q = 0; q < 9; q++)
        to[(i * n + j) * 9 + q] = from[((i - cx[q]) * n + j - cy[q]) * 9 + q];
#pragma endscop
}

static void stream_numbers(const double *from, double *to) {
#pragma scop
  for (int i = 1; i < M - 1; i++)
    for (int j = 1; j < N - 1; j++)
      for (int q = 0; q < 9; q++)
        to[(i * N + j) * 9 + q] = 0.5 * from[((i - cx[q]) * N + j - cy[q]) * 9 + q];
#pragma endscop
}

static void squares(int m, int n, const double *from, double *to) {
#pragma scop
  for (int i = 1; i < m; i++)
    for (int j = 0; j < n; j++) {
      int at = 2 * (i * n + j);
      to[at] = from[at] * from[at] - from[at + 1] * from[at + 1 - 2 * n];
      to[at + 1] = 2 * from[at] * from[at + 1];
    }
#pragma endscop
}

/* Every second point is no element of two numbers. */
static void coarse(int n, const double *from, double *to) {
#pragma scop
  for (int i = 1; i < n; i++) to[i] = from[2 * i - 1] + 2 * from[2 * i] + from[2 * i + 1];
#pragma endscop
}

static void coarse_plane(int m, int n, const double *from, double *to) {
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) to[i * n + j] = from[2 * i * 2 * n + 2 * j];
#pragma endscop
}

int main(void) {
  FILL(a, double);
  FILL(b, double);
  FILL(u, double);
  FILL(v, double);
  FILL(f, double);
  FILL(g, double);
  FILL(z, double);
  FILL(y, double);
  FILL(weight, double);
  FILL(image, float);
  FILL(blurred, float);
  FILL(grey, float);
  FILL(kernel, float);
  row(M);
  sizes_last(M, N, u, v);
  blur(M, N, image, blurred);
  to_grey(M, N, blurred, grey);
  weigh(M, N, v);
  stream(M, N, f, g);
  stream_numbers(g, f);
  squares(M, N, z, y);
  coarse(2 * M - 1, a, b);
  coarse_plane(8, 11, u, z);
  ADD(a);
  ADD(b);
  ADD(v);
  ADD(f);
  ADD(g);
  ADD(y);
  ADD(z);
  ADD(blurred);
  ADD(grey);
  PRINT();
  return 0;
}
