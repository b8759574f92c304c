// Scalars that each point sets for an element and for a sum, a largest value or a count, beside
// each other and in branches.
#include <math.h>

#include "check.h"

#define N 29
#define M 23

static double u[N][M], v[N][M], f[N][M];
static float a[N][N], b[N][N];
static double line[N], next[N];

static double norm(int n) {
  double most = 0;
#pragma scop
  for (int i = 1; i < n - 1; i++) {
    double change = 0.5 * (line[i - 1] + line[i + 1]) - line[i];
    next[i] = line[i] + change;
    most = fmax(most, fabs(change));
  }
#pragma endscop
  return most;
}

// Only for the sum.
static int count(int n) {
  int total = 3;
#pragma scop
  for (int i = 1; i < n - 1; i++) {
    double slope = line[i + 1] - line[i - 1];
    total += slope > 0.25 ? 2 : slope < -0.25;
  }
#pragma endscop
  return total;
}

static double jacobi(int turns, int n) {
  float error = 1;
#pragma scop
  for (int t = 0; t < turns; t++) {
    error = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        b[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) * 0.25f;
        float d = b[i][j] - a[i][j];
        if (d < 0) d = -d;
        error = d > error ? d : error;
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) a[i][j] = b[i][j];
  }
#pragma endscop
  return error;
}

// Red and black points, relaxed in place.
static double relax(int turns, int n, int m) {
  double residual = 0;
#pragma scop
  for (int t = 0; t < turns; t++) {
    residual = 0;
    for (int c = 0; c < 2; c++)
      for (int i = 1; i < n - 1; i++)
        for (int j = 1 + (i + c) % 2; j < m - 1; j += 2) {
          double d =
              0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]) - u[i][j];
          u[i][j] += 1.5 * d;
          residual = fmax(residual, fabs(d));
        }
  }
#pragma endscop
  return residual;
}

static int branches(int n, int m, double* most) {
  int steep = 0, flat = 1;
  double largest = -9;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      if (i == 0 || j == 0 || i == n - 1 || j == m - 1) {
        v[i][j] = 0;
      } else {
        double g = u[i][j + 1] - u[i][j - 1];
        if (g > 0.3) {
          v[i][j] = g * 2;
          steep++;
        } else if (g < -0.3) {
          v[i][j] = -g;
        } else {
          v[i][j] = u[i][j];
          flat += 2;
        }
        if (g > largest) largest = g;
      }
    }
#pragma endscop
  *most = largest;
  return steep * 1000 + flat;
}

#define ADD_ONE(value)                  \
  do {                                  \
    const double one = (double)(value); \
    add_bytes(&one, sizeof one);        \
  } while (0)

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(f, double);
  FILL(a, float);
  FILL(b, float);
  FILL(line, double);
  FILL(next, double);
  for (int n = 1; n <= N; n += 2) {
    ADD_ONE(norm(n));
    ADD_ONE(count(n));
    ADD_ONE(jacobi(3, n));
    ADD_ONE(relax(2, n, n < M ? n : M));
    double most;
    ADD_ONE(branches(n, n < M ? n : M, &most));
    ADD_ONE(most);
  }
  ADD(next);
  ADD(u);
  ADD(v);
  ADD(a);
  PRINT();
  return 0;
}
