#include "check.h"

/* C, and not C++: parameters of variable length, calloc without casts, designated initialisers. */
struct sizes {
  int rows, columns, steps;
};

static void heat(int n, int m, int steps, double scale, double a[n][m], double b[n + 0][m + 0]) {
  int t, i, j;
#pragma scop
  for (t = 0; t < steps; t++) {
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++)
        b[i][j] = scale * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < m - 1; j++) a[i][j] = b[i][j];
  }
#pragma endscop
}

/* Pointers to rows that end exchanged. */
static void turn(int n, int m, int steps, float (*from)[m], float (*to)[m]) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 0; j < m; j++) to[i][j] = 0.5f * (from[i - 1][j] + from[i + 1][j]);
    float (*kept)[m] = from;
    from = to;
    to = kept;
  }
#pragma endscop
  add_bytes(from, sizeof(float[n][m]));
}

/* Two states, and a sum that starts with what is there. */
static int last(int n, int steps, int u[2][n]) {
  int sum = 7;
#pragma scop
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      u[(t + 1) % 2][i] = u[t % 2][i - 1] + 2 * u[t % 2][i] - u[t % 2][i + 1];
#pragma endscop
#pragma scop
  for (int i = 0; i < n; i++) sum += u[0][i];
#pragma endscop
  return sum;
}

int main(void) {
  const struct sizes s = {.steps = 5, .rows = 23, .columns = 37};
  const size_t count = (size_t)s.rows * s.columns;
  double *a = calloc(count, sizeof *a), *b = calloc(count, sizeof *b);
  float *f = calloc(count, sizeof *f), *g = calloc(count, sizeof *g);
  int *u = calloc(2 * count, sizeof *u);
  for (size_t k = 0; k < count; k++) {
    a[k] = next_value(), b[k] = next_value();
    f[k] = (float)next_value(), g[k] = (float)next_value();
    u[k] = (int)(next_value() * 100), u[count + k] = (int)(next_value() * 100);
  }
  heat(s.rows, s.columns, s.steps, 0.25, (void *)a, (void *)b);
  heat(2, 0, s.steps, 0.25, (void *)a, (void *)b);
  turn(s.rows, s.columns, s.steps, (void *)f, (void *)g);
  turn(s.rows, s.columns, s.steps - 1, (void *)f, (void *)g);
  const int sum = last((int)count, 3, (void *)u);
  add_bytes(a, count * sizeof *a);
  add_bytes(b, count * sizeof *b);
  add_bytes(f, count * sizeof *f);
  add_bytes(g, count * sizeof *g);
  add_bytes(u, 2 * count * sizeof *u);
  add_bytes(&sum, sizeof sum);
  PRINT();
  return 0;
}
