/* PolyBench's doitgen: a row that each iteration sets for itself, and what the last one leaves. */
#include "check.h"

#define NR 7
#define NQ 9
#define NP 21
double A[NR][NQ][NP], C4[NP][NP], sum[NP + 3];

static void kernel_doitgen(int nr, int nq, int np, double A[NR][NQ][NP], double C4[NP][NP],
                           double *sum) {
  int r, q, p, s;
#pragma scop
  for (r = 0; r < nr; r++)
    for (q = 0; q < nq; q++) {
      for (p = 0; p < np; p++) {
        sum[p] = 0.0;
        for (s = 0; s < np; s++) sum[p] += A[r][q][s] * C4[s][p];
      }
      for (p = 0; p < np; p++) A[r][q][p] = sum[p];
    }
#pragma endscop
}

int main(void) {
  FILL(A, double);
  FILL(C4, double);
  FILL(sum, double);
  kernel_doitgen(NR, NQ, NP, A, C4, sum);
  ADD(A);
  ADD(sum);
  PRINT();
  return 0;
}
