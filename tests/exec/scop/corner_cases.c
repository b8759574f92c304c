/* What random regions have found: each loop was translated to something else once. */
#include <math.h>

#include "check.h"

double a[40], b[40];
float f[40];
int total = 7, m[40];

static void run(int n) {
  double s;
#pragma scop
  /* Neither counter, or only one, is named by what is added. */
  for (int i = 2; i < 10; i++)
    for (int j = 1; j < 8; j++) total += i % 3;
  for (int i = 2; i < 10; i++)
    for (int j = 1; j < 8; j++) total += 2;
  /* Numbers alone are double, whatever they meet. */
  for (int i = 1; i < n - 1; i += 3) f[i] = sqrt(fabs(0.001));
  for (int i = 1; i < n - 1; i++)
    if (a[i] > 0) f[i] = 0.1 * 3;
  /* One point that small sizes have not. */
  for (int i = 1; i < n - 1; i++) {
    if (i == 3) {
      s = a[i + 1];
    } else {
      s = a[i - 1];
    }
    b[i] = s;
  }
  /* A loop of one turn, and a branch that is never taken. */
  for (int t = 0; t < 1; t++)
    for (int i = 1; i < n - 1; i++) {
      if (i == 0) b[i] = a[i - 1];
      if (i == 5) b[i] = b[i] * 3;
    }
#pragma endscop
#pragma scop
  /* A condition that changes below it, and one that chooses an element. */
  for (int i = 1; i < n - 1; i++) {
    if (m[i] > 10) {
      m[i] = m[i] - 10;
      a[i] += 1;
    }
    if (f[i] > 0.2) {
      b[i] += m[i];
    } else
      b[i] = b[i + 1] * 0.5f;
  }
  /* Steps of three, of which a condition leaves one. */
  for (int i = 2; i < 6; i += 3) {
    m[i] += 5;
    if (i > 2) m[i] += 7;
  }
  /* Branches that would be in the way of each other. */
  for (int i = 1; i < n - 1; i++) {
    double v = a[i + 1];
    if (i > 3) v = a[i];
    a[i] = v * 0.5;
  }
#pragma endscop
}

int main(void) {
  FILL(a, double);
  FILL(b, double);
  FILL(f, float);
  FILL(m, int);
  run(40);
  run(4);
  run(3);
  add_bytes(&total, sizeof total);
  ADD(a);
  ADD(b);
  ADD(f);
  ADD(m);
  PRINT();
  return 0;
}
