// What conditions on counters leave out at the edges of an array, at all extents down to one: a point
// may be at several edges at once, and the reads of each path exist at its own points alone.
#include <math.h>

#include "check.h"

#define MOST 9

static double u[MOST * MOST], v[MOST * MOST], w[MOST * MOST], x[4][MOST][MOST], y[MOST][MOST],
    z[MOST][MOST];

static void far_ends(int n, const double *a, double *b) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double s = a[i];
    if (i >= 3) s += a[i - 3];
    if (i < n - 3) s += 0.5 * a[i + 3];
    b[i] = s;
  }
#pragma endscop
}

static void one_sided(int n, const double *a, double *b) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double left, right;
    if (i == 0) left = a[i];
    else left = a[i - 1];
    if (i == n - 1) right = a[i];
    else right = a[i + 1];
    b[i] = 10 * a[i] + right - left;
  }
#pragma endscop
}

// Neighbours are counted, and some are two away.
static void counted(int n, int m, const double *a, double *b) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      int count = 0;
      if (i > 0) { s += a[i * m + j - m]; count++; }
      if (i < n - 1) { s += a[i * m + j + m]; count++; }
      if (j > 1) { s += a[i * m + j - 2]; count++; }
      if (j < m - 2) { s += a[i * m + j + 2]; count++; }
      b[i * m + j] = s - count * a[i * m + j];
    }
#pragma endscop
}

// The paths differ by a size that says nothing about the array.
static void by_place(int n, int place, const double *a, double *b) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double s = a[i];
    if (i >= 2 && i != place) s += a[i - 2];
    if (i < n - 2 && i <= place) s -= a[i + 2];
    b[i] += s;
  }
#pragma endscop
}

// Elements rather than a scalar, with a loop over time around.
static void in_turns(int turns, int n, double *a, double *b) {
#pragma scop
  for (int t = 0; t < turns; t++) {
    for (int i = 0; i < n; i++) {
      if (i >= 2) b[i] += a[i - 2];
      if (i + 2 < n) b[i] -= 0.5 * a[i + 2];
      else b[i] = 0.25 * a[i];
    }
    for (int i = 0; i < n; i++) a[i] = 0.5 * b[i];
  }
#pragma endscop
}

// What two turns ago was, where there have been two.
static void history(int turns, int n, int m) {
#pragma scop
  for (int t = 1; t < turns; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        double s = x[t - 1][i][j];
        if (t >= 2) s += 0.5 * x[t - 2][i][j];
        if (j < m - 2) s -= 0.25 * x[t - 1][i][j + 2];
        x[t][i][j] = s;
      }
#pragma endscop
}

// The condition is one of two counters.
static void below_diagonal(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = y[i][j];
      if (i - j > 1) s += y[i - 2][j + 1];
      if (j - i > 0) s -= y[i + 1][j - 1];
      z[i][j] = s;
    }
#pragma endscop
}

// The loop ends at the smaller of two sizes.
static double two_sizes(int n, int m) {
  double s = 0.25;
#pragma scop
  for (int i = 0; i < n && i < m; i++) s = fmax(s, y[0][i]);
#pragma endscop
  return s;
}

int main(void) {
  for (int n = 1; n <= MOST; n++) {
    FILL(u, double);
    FILL(v, double);
    FILL(w, double);
    far_ends(n, u, v);
    one_sided(n, u, w);
    ADD(v);
    ADD(w);
    for (int place = 0; place <= n; place++) by_place(n, place, u, v);
    in_turns(3, n, u, w);
    ADD(u);
    ADD(v);
    ADD(w);
    for (int m = 1; m <= MOST; m++) {
      counted(n, m, u, v);
      ADD(v);
      FILL(x, double);
      for (int turns = 1; turns <= 4; turns++) history(turns, n, m);
      ADD(x);
      const double largest = two_sizes(n, m);
      add_bytes(&largest, sizeof largest);
    }
    FILL(y, double);
    below_diagonal(n);
    ADD(z);
  }
  PRINT();
  return 0;
}
