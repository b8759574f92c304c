#include "check.h"

#define NI 19
#define NJ 23
#define NK 17
double A[NI][NK], B[NK][NJ], C[NI][NJ], D[NJ][NI], x[NK], y[NI];

static void run(double alpha, double beta) {
  int i, j, k;
#pragma scop
  for (i = 0; i < NI; i++) {
    for (j = 0; j < NJ; j++) C[i][j] *= beta;
    for (k = 0; k < NK; k++)
      for (j = 0; j < NJ; j++) C[i][j] += alpha * A[i][k] * B[k][j];
  }
  for (i = 0; i < NI; i++) {
    y[i] = 0.0;
    for (k = 0; k < NK; k++) y[i] = y[i] + A[i][k] * x[k];
  }
  for (j = 0; j < NJ; j++)
    for (i = 0; i < NI; i++) D[j][i] = C[i][j];
  for (i = 0; i < 7; i++) C[3][2] += A[i][1];
#pragma endscop
}

int main(void) {
  FILL(A, double);
  FILL(B, double);
  FILL(C, double);
  FILL(x, double);
  run(1.5, 1.2);
  ADD(C);
  ADD(D);
  ADD(y);
  PRINT();
  return 0;
}
