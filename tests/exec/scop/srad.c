/* Places in an integer that is set for each point, as in Rodinia's srad. */
#include <math.h>

#include "check.h"

#define ROWS 37
#define COLS 29
#define FP float
static FP J[ROWS*COLS], dN[ROWS*COLS], dS[ROWS*COLS], dW[ROWS*COLS], dE[ROWS*COLS], c[ROWS*COLS];
int main(void) {
  int rows = ROWS, cols = COLS, niter = 5, i, j, k, iter;
  FP q0sqr = 0.05f, lambda = 0.5f, Jc, G2, L, num, den, qsqr;
  for (k = 0; k < ROWS*COLS; k++) J[k] = (FP)exp((k * 37 % 256) / 255.0f);
#pragma scop
  for (iter = 0; iter < niter; iter++) {
    for (i = 0; i < rows; i++) {
      for (j = 0; j < cols; j++) {
        k = i * cols + j;
        Jc = J[k];
        dN[k] = J[(i > 0 ? i - 1 : 0) * cols + j] - Jc;
        dS[k] = J[(i < rows - 1 ? i + 1 : rows - 1) * cols + j] - Jc;
        dW[k] = J[i * cols + (j > 0 ? j - 1 : 0)] - Jc;
        dE[k] = J[i * cols + (j < cols - 1 ? j + 1 : cols - 1)] - Jc;
        G2 = (dN[k]*dN[k] + dS[k]*dS[k] + dW[k]*dW[k] + dE[k]*dE[k]) / (Jc*Jc);
        L = (dN[k] + dS[k] + dW[k] + dE[k]) / Jc;
        num = (0.5f*G2) - ((1.0f/16.0f)*(L*L));
        den = 1 + (.25f*L);
        qsqr = num/(den*den);
        den = (qsqr-q0sqr) / (q0sqr * (1+q0sqr));
        c[k] = 1.0f / (1.0f+den);
        if (c[k] < 0) c[k] = 0;
        else if (c[k] > 1) c[k] = 1;
      }
    }
    for (i = 0; i < rows; i++) {
      for (j = 0; j < cols; j++) {
        k = i * cols + j;
        FP cN = c[k];
        FP cS = c[(i < rows - 1 ? i + 1 : rows - 1) * cols + j];
        FP cW = c[k];
        FP cE = c[i * cols + (j < cols - 1 ? j + 1 : cols - 1)];
        FP D = cN * dN[k] + cS * dS[k] + cW * dW[k] + cE * dE[k];
        J[k] = J[k] + 0.25f*lambda*D;
      }
    }
  }
#pragma endscop
  ADD(J);
  ADD(c);
  PRINT();
  return 0;
}
