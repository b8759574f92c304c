/* Scalars that a loop of sums sets for each point. */
#include "check.h"

#define N 23
#define M 31
double u[N][M], a[N], c[N][N];
float v[N][M], f[N];

int main(void) {
  int i, j, k;
  FILL(u, double);
  FILL(v, float);
#pragma scop
  for (i = 0; i < N; i++) {
    double sum = 0;
    float least = v[i][0];
    for (j = 0; j < M; j++) sum += u[i][j];
    for (j = 1; j < M; j++) least = v[i][j] < least ? v[i][j] : least;
    a[i] = sum / M;
    f[i] = least;
  }
#pragma endscop
#pragma scop
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      double dot = 0.5;
      for (k = 0; k < M; k++) dot += u[i][k] * u[j][k];
      c[i][j] = dot;
    }
#pragma endscop
#pragma scop
  for (i = 1; i <= N - 2; i++) {
    const double scale = 1.0 / a[i];
    for (j = 0; j < M; j++) u[i][j] *= scale;
  }
#pragma endscop
  ADD(a);
  ADD(u);
  ADD(f);
  ADD(c);
  PRINT();
  return 0;
}
