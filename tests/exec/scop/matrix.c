/* Matrices: loops that sum into each element stay loops around array assignments. */
#include "check.h"

double A[23][31], B[31][19], C[23][19], x[31], y[31], tmp[23], x1[23], x2[23], S[23][23], D[19][31];
float w[23][23];

int main(void) {
  const double alpha = 1.5, beta = 0.25;
  FILL(A, double);
  FILL(B, double);
  FILL(C, double);
  FILL(x, double);
  FILL(S, double);
  FILL(x1, double);
  FILL(w, float);
#pragma scop
  /* gemm */
  for (int i = 0; i < 23; i++) {
    for (int j = 0; j < 19; j++) C[i][j] *= beta;
    for (int k = 0; k < 31; k++) {
      for (int j = 0; j < 19; j++) C[i][j] += alpha * A[i][k] * B[k][j];
    }
  }
#pragma endscop
#pragma scop
  /* atax */
  for (int i = 0; i < 31; i++) y[i] = 0;
  for (int i = 0; i < 23; i++) {
    tmp[i] = 0.0;
    for (int j = 0; j < 31; j++) tmp[i] = tmp[i] + A[i][j] * x[j];
    for (int j = 0; j < 31; j++) y[j] = y[j] + A[i][j] * tmp[i];
  }
#pragma endscop
#pragma scop
  /* mvt */
  for (int i = 0; i < 23; i++)
    for (int j = 0; j < 23; j++) x1[i] = x1[i] + S[i][j] * tmp[j];
  for (int i = 0; i < 23; i++)
    for (int j = 0; j < 23; j++) x2[i] = x2[i] + S[j][i] * tmp[j];
#pragma endscop
#pragma scop
  /* transposition */
  for (int i = 0; i < 19; i++)
    for (int j = 0; j < 31; j++) D[i][j] = B[j][i];
  for (int i = 0; i < 23; i++)
    for (int j = 0; j < i; j++) {
      float t = w[i][j];
      w[i][j] = w[j][i];
      w[j][i] = t;
    }
#pragma endscop
  ADD(C);
  ADD(y);
  ADD(x1);
  ADD(x2);
  ADD(D);
  ADD(w);
  PRINT();
  return 0;
}
