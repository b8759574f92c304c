// A scalar of an outer loop.
#include <math.h>
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 99; i >= 0; i--) {
    double t = sin(a[i]);
    for (int j = 0; j < 100; j++) u[i][j] = t;
  }
#pragma endscop
}
// ----
scalar_across.c:8:45: error: `t` gets its value in other loops than those that read it [c-scalar-across]
    8 |     for (int j = 0; j < 100; j++) u[i][j] = t;
      |                                             ^
  hint: keep it in an array, one element for each point
