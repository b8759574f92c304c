/* The counter of an array of one dimension is called as one of two usually is. */
#include "check.h"

#define N 21
double A[N][N], x[N], y[N];

int main(void) {
  int i, j;
  FILL(A, double);
  FILL(x, double);
#pragma scop
  for (j = 0; j < N; j++) y[j] = 0;
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) y[j] += A[i][j] * x[i];
#pragma endscop
  ADD(y);
  PRINT();
  return 0;
}
