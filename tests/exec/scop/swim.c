/* Shallow water, as in SPEC's swim: several nests and copies of periodic edges and corners a step. */
#include "check.h"
#define M 33
#define N 29
double u[M+1][N+1], v[M+1][N+1], p[M+1][N+1], unew[M+1][N+1], vnew[M+1][N+1], pnew[M+1][N+1],
  uold[M+1][N+1], vold[M+1][N+1], pold[M+1][N+1], cu[M+1][N+1], cv[M+1][N+1], z[M+1][N+1], h[M+1][N+1];
static void swim(int itmax, double dt, double dx, double dy, double alpha) {
  double fsdx = 4.0 / dx, fsdy = 4.0 / dy;
  double tdts8, tdtsdx, tdtsdy;
  double tdt = dt;
#pragma scop
  tdts8 = tdt / 8.0;
  tdtsdx = tdt / dx;
  tdtsdy = tdt / dy;
  for (int ncycle = 0; ncycle < itmax; ncycle++) {
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) {
        cu[i+1][j] = 0.5 * (p[i+1][j] + p[i][j]) * u[i+1][j];
        cv[i][j+1] = 0.5 * (p[i][j+1] + p[i][j]) * v[i][j+1];
        z[i+1][j+1] = (fsdx * (v[i+1][j+1] - v[i][j+1]) - fsdy * (u[i+1][j+1] - u[i+1][j])) / (p[i][j] + p[i+1][j] + p[i+1][j+1] + p[i][j+1]);
        h[i][j] = p[i][j] + 0.25 * (u[i+1][j] * u[i+1][j] + u[i][j] * u[i][j] + v[i][j+1] * v[i][j+1] + v[i][j] * v[i][j]);
      }
    for (int j = 0; j < N; j++) {
      cu[0][j] = cu[M][j];
      cv[M][j+1] = cv[0][j+1];
      z[0][j+1] = z[M][j+1];
      h[M][j] = h[0][j];
    }
    for (int i = 0; i < M; i++) {
      cu[i+1][N] = cu[i+1][0];
      cv[i][0] = cv[i][N];
      z[i+1][0] = z[i+1][N];
      h[i][N] = h[i][0];
    }
    cu[0][N] = cu[M][0];
    cv[M][0] = cv[0][N];
    z[0][0] = z[M][N];
    h[M][N] = h[0][0];
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) {
        unew[i+1][j] = uold[i+1][j] + tdts8 * (z[i+1][j+1] + z[i+1][j]) * (cv[i+1][j+1] + cv[i][j+1] + cv[i][j] + cv[i+1][j]) - tdtsdx * (h[i+1][j] - h[i][j]);
        vnew[i][j+1] = vold[i][j+1] - tdts8 * (z[i+1][j+1] + z[i][j+1]) * (cu[i+1][j+1] + cu[i][j+1] + cu[i][j] + cu[i+1][j]) - tdtsdy * (h[i][j+1] - h[i][j]);
        pnew[i][j] = pold[i][j] - tdtsdx * (cu[i+1][j] - cu[i][j]) - tdtsdy * (cv[i][j+1] - cv[i][j]);
      }
    for (int j = 0; j < N; j++) {
      unew[0][j] = unew[M][j];
      vnew[M][j+1] = vnew[0][j+1];
      pnew[M][j] = pnew[0][j];
    }
    for (int i = 0; i < M; i++) {
      unew[i+1][N] = unew[i+1][0];
      vnew[i][0] = vnew[i][N];
      pnew[i][N] = pnew[i][0];
    }
    unew[0][N] = unew[M][0];
    vnew[M][0] = vnew[0][N];
    pnew[M][N] = pnew[0][0];
    for (int i = 0; i <= M; i++)
      for (int j = 0; j <= N; j++) {
        uold[i][j] = u[i][j] + alpha * (unew[i][j] - 2. * u[i][j] + uold[i][j]);
        vold[i][j] = v[i][j] + alpha * (vnew[i][j] - 2. * v[i][j] + vold[i][j]);
        pold[i][j] = p[i][j] + alpha * (pnew[i][j] - 2. * p[i][j] + pold[i][j]);
        u[i][j] = unew[i][j];
        v[i][j] = vnew[i][j];
        p[i][j] = pnew[i][j];
      }
  }
#pragma endscop
}
int main(void) {
  FILL(u, double); FILL(v, double); FILL(p, double); FILL(uold, double); FILL(vold, double); FILL(pold, double);
  for (int i = 0; i <= M; i++) for (int j = 0; j <= N; j++) p[i][j] += 50;
  swim(5, 0.01, 1.0, 1.1, .001);
  ADD(u); ADD(v); ADD(p); ADD(uold); ADD(vold); ADD(pold); ADD(cu); ADD(cv); ADD(z); ADD(h); ADD(unew);
  PRINT();
  return 0;
}
