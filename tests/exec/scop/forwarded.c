/* Integers that are set from variables which change afterwards, what functions are given before they
   write it, and functions that are called several times. */
#include <stdbool.h>

#include "check.h"

#define N 23

static int a[N], b[N];
static double u[N], v[N], w[N];
static float p[N];
static unsigned char image[N][N], median[N][N];
static bool flags[N];

#define SORT(x, y)           \
  {                          \
    int lo = x < y ? x : y;  \
    int hi = x < y ? y : x;  \
    x = lo;                  \
    y = hi;                  \
  }
#define SHADOWS(i)          \
  {                         \
    double t = u[i] * 0.5;  \
    {                       \
      int t = 3;            \
      w[i] = t;             \
    }                       \
    w[i] += t;              \
  }

static void cell(int *to, const int *from, int i) {
  int x = from[i];
  int y = x + 1;
  x = x * 2;
  int z = y;
  y = y + x;
  to[i] = x + 10 * y + 100 * z;
}
static void given(double *x, double *y, int i, double value) {
  x[i] = value + 1;
  y[i] = value * 2 + x[i];
}
static void changes(double *x, int i, double value) {
  value *= 0.5;
  value += x[i];
  x[i] = value;
}
static void sweep(double *to, const double *from, double c, int mode) {
  int odd = mode % 2;
  float f = c;
  for (int i = 1; i < N - 1; i++) to[i] = odd ? from[i - 1] * f : from[i + 1] * c;
}
static void swap(double *x, double *y) {
  for (int i = 0; i < N / 2; i++) {
    double t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}
static bool odd(int k) { return k % 4; }
static double counted(bool k) { return k * 10; }

static void run(double *x, double *y, double third) {
#pragma scop
  for (int i = 1; i < N - 1; i++) cell(b, a, i);
  for (int i = 1; i < N - 1; i++) {
    int c[3] = {a[i], a[i + 1], a[i - 1]};
    if (c[0] > c[1]) {
      int t = c[0];
      c[0] = c[1];
      c[1] = t;
    }
    short s = c[0];
    c[0] = 7;
    p[i] = s * 10 + c[0] + c[1] + c[2];
  }
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++) {
      int c[5] = {image[i][j], image[i - 1][j], image[i + 1][j], image[i][j - 1], image[i][j + 1]};
      SORT(c[0], c[1])
      SORT(c[3], c[4])
      SORT(c[0], c[3])
      SORT(c[1], c[4])
      SORT(c[1], c[2])
      SORT(c[2], c[3])
      SORT(c[1], c[2])
      median[i][j] = c[2];
    }
  for (int i = 0; i < N; i++) SHADOWS(i)
  for (int i = 0; i < N; i++) given(u, v, i, u[i]);
  for (int i = 0; i < N; i++) changes(v, i, u[i] + v[i]);
  sweep(v, u, 0.1, 1);
  sweep(w, v, 0.3, 2);
  sweep(u, w, 0.7, 5);
  int k = third * 8.1;
  bool any = third;
  for (int i = 1; i < N - 1; i++) {
    int m = third * 7.0, n = u[i] * 9.0;
    u[i] = v[i] * k + any * m / 2 + n;
  }
  for (int t = 0; t < 3; t++) {
    int h = third * (4 + t);
    for (int i = 1; i < N - 1; i++) w[i] = u[i - 1] * h + h / 2;
  }
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < N - 1; i++) y[i] = x[i - 1] + x[i + 1];
    swap(x, y);
  }
  for (int i = 0; i < N; i++) {
    flags[i] = odd(i);
    x[i] = x[i] + counted(i) + abs(10.0 * y[i]);
  }
#pragma endscop
}

int main(void) {
  static double x[N], y[N];
  FILL(a, int);
  FILL(b, int);
  FILL(u, double);
  FILL(v, double);
  FILL(w, double);
  FILL(p, float);
  FILL(x, double);
  FILL(y, double);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) image[i][j] = (unsigned char)(i * 37 + j * 91);
  run(x, y, 1.0 / 3);
  ADD(a);
  ADD(b);
  ADD(u);
  ADD(v);
  ADD(w);
  ADD(p);
  ADD(x);
  ADD(y);
  ADD(median);
  ADD(flags);
  PRINT();
  return 0;
}
