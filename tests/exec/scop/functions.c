/* Functions of the file, whose values take the place of their calls. */
#include <math.h>

#include "check.h"

#define NX 23
#define NY 15

static double u[NY][NX], v[NY][NX], w[NY][NX], linear[NY * NX], out[NY * NX];
static float a[NX], b[NX];
static int marks[NX];
static double weight = 0.125;

static inline int at(int i, int j, int n) { return i * n + j; }
static double square(double x) { return x * x; }
static double minmod(double left, double right) {
  if (left * right <= 0.0) return 0.0;
  return fabs(left) < fabs(right) ? left : right;
}
static double limited(double left, double middle, double right) {
  const double first = middle - left, second = right - middle;
  double slope = minmod(first, second);
  if (slope > 0.25) {
    slope = 0.25;
  } else if (slope < -0.25) {
    slope = -0.25;
  }
  slope *= 0.5;
  return middle + slope;
}
static double laplace(double (*x)[NX], int j, int i) {
  return x[j - 1][i] + x[j + 1][i] + x[j][i - 1] + x[j][i + 1] - 4.0 * x[j][i];
}
static double row(const double *x, int j, int i) {
  return x[at(j, i - 1, NX)] + x[at(j, i + 1, NX)];
}
static float narrow(double x) { return x; }
static int whole(double x) { return x * 10; }
static double weighted(double x) { return weight * x; }
static double later(double x);
/* A function that has the name of one of <math.h>'s in other languages. */
static double sign(double x) { return x < 0.0 ? -1.0 : 1.0; }

static void run(int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int j = 1; j < NY - 1; j++)
      for (int i = 1; i < NX - 1; i++)
        v[j][i] = u[j][i] + 0.1 * laplace(u, j, i) + 0.01 * square(u[j][i] - u[j - 1][i]);
    for (int j = 1; j < NY - 1; j++)
      for (int i = 1; i < NX - 1; i++)
        u[j][i] = limited(v[j][i - 1], v[j][i], v[j][i + 1]) * sign(w[j][i]);
  }
  for (int j = 1; j < NY - 1; j++)
    for (int i = 1; i < NX - 1; i++) {
      const double x = weighted(u[j][i]);
      w[j][i] = later(square(square(x)) + x);
    }
#pragma endscop
}

static void places(void) {
#pragma scop
  for (int j = 0; j < NY; j++)
    for (int i = 1; i < NX - 1; i++) out[at(j, i, NX)] = row(linear, j, i);
  for (int i = 0; i < NX; i++) {
    b[i] = narrow(a[i] * 0.1) * 3.0;
    marks[i] = whole(a[i] * 3.7);
  }
#pragma endscop
}

static double later(double x) { return x - weighted(x) * x; }

int main(void) {
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  FILL(linear, double);
  FILL(out, double);
  FILL(a, float);
  FILL(b, float);
  FILL(marks, int);
  run(5);
  places();
  ADD(u);
  ADD(v);
  ADD(w);
  ADD(out);
  ADD(b);
  ADD(marks);
  PRINT();
  return 0;
}
