/* Loops that go on from their last turn, for all points of the other loops at once. */
#include "check.h"

#define N 33
#define M 47
double u[N][M], v[N][M], p[N][M], q[N][M], w[N][M], a[200], column[N];
int k[N][M];
float box[9][10][11];

static void along_rows_and_columns(void) {
#pragma scop
  for (int i = 1; i < N; i++)
    for (int j = 0; j < M; j++) u[i][j] = 0.5 * u[i - 1][j] + v[i][j];
  for (int i = 0; i < N; i++)
    for (int j = 1; j < M; j++) v[i][j] = 0.5 * v[i][j - 1] + u[i][j];
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < M - 1; j++) w[i][j] = 0.5 * (w[i][j + 1] + w[i - 1][j + 1]);
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 50; j++) a[i + j] = i;
#pragma endscop
}

/* Systems of equations with three diagonals, one a row. */
static void thomas(void) {
#pragma scop
  for (int i = 0; i < N; i++) {
    p[i][0] = 0;
    q[i][0] = 1;
    for (int j = 1; j < M; j++) {
      p[i][j] = -0.3 / (0.3 * p[i][j - 1] + 2.0);
      q[i][j] = (v[i][j] - 0.3 * q[i][j - 1]) / (0.3 * p[i][j - 1] + 2.0);
    }
    w[i][M - 1] = 1.0;
    for (int j = M - 2; j >= 0; j--) w[i][j] = p[i][j] * w[i][j + 1] + q[i][j];
  }
#pragma endscop
}

/* Two loops out of three. */
static void planes(int n) {
#pragma scop
  for (int z = 2; z < 9; z++)
    for (int y = 1; y < n; y++)
      for (int x = 0; x < 11; x++) box[z][y][x] = 0.4f * box[z][y - 1][x] + 0.5f * box[z - 2][y][10 - x];
#pragma endscop
}

/* With conditions and triangles. */
static void parts(void) {
#pragma scop
  for (int i = 1; i < N; i++)
    for (int j = 0; j < i; j++)
      if (v[i][j] > 0.0) k[i][j] = (k[i - 1][j] + i * j) % 1000;
  for (int i = N - 2; i >= 0; i -= 2)
    for (int j = 1; j < M; j++) u[i][j] = u[i + 1][j - 1] - 0.25 * u[i][j];
#pragma endscop
}

/* All time steps are kept. */
static void series(int T, int n, double (*x)[M]) {
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < n - 1; i++) x[t + 1][i] = 0.5 * (x[t][i - 1] + x[t][i + 1]);
  for (int t = 2; t <= T; t++)
    for (int i = 1; i < n - 1; i++) x[t][i] = x[t][i] + 0.25 * x[t - 2][i];
#pragma endscop
}

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(p, double);
  FILL(q, double);
  FILL(w, double);
  FILL(k, int);
  FILL(box, float);
  along_rows_and_columns();
  thomas();
  planes(10);
  planes(1);
  parts();
  series(N - 1, M, p);
  series(1, M, q);
  ADD(u);
  ADD(v);
  ADD(p);
  ADD(q);
  ADD(w);
  ADD(a);
  ADD(k);
  ADD(box);
  PRINT();
  return 0;
}
