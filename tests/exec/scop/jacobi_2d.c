#include "check.h"

#define N 67
#define TSTEPS 13
#define SCALAR_VAL(x) x
double A[N][N], B[N][N];

static void kernel(int tsteps, int n, double a[N][N], double b[N][N]) {
  int t, i, j;
#pragma stencilgen block:32,8
#pragma scop
  for (t = 0; t < TSTEPS; t++) {
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        b[i][j] = SCALAR_VAL(0.2) * (a[i][j] + a[i][j - 1] + a[i][1 + j] + a[1 + i][j] + a[i - 1][j]);
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        a[i][j] = SCALAR_VAL(0.2) * (b[i][j] + b[i][j - 1] + b[i][1 + j] + b[1 + i][j] + b[i - 1][j]);
  }
#pragma endscop
  (void)tsteps;
  (void)n;
}

int main(void) {
  FILL(A, double);
  FILL(B, double);
  kernel(TSTEPS, N, A, B);
  ADD(A);
  ADD(B);
  PRINT();
  return 0;
}
