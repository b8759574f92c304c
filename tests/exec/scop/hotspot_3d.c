/* Neighbours in integers that are chosen for each point, as in Rodinia's hotspot3D. */
#include "check.h"

#define NX 19
#define NY 17
#define NZ 7
static float tIn[NX*NY*NZ], tOut[NX*NY*NZ], pIn[NX*NY*NZ];
void computeTempCPU(float *pIn, float *tIn, float *tOut, int nx, int ny, int nz, float Cap, float Rx,
                    float Ry, float Rz, float dt, float amb_temp, int numiter) {
  float ce, cw, cn, cs, ct, cb, cc;
  float stepDivCap = dt / Cap;
  ce = cw = stepDivCap / Rx; cn = cs = stepDivCap / Ry; ct = cb = stepDivCap / Rz;
  cc = 1.0f - (2.0f*ce + 2.0f*cn + 3.0f*ct);
  int c, w, e, n, s, b, t, x, y, z, i;
#pragma scop
  for (i = 0; i < numiter; i++) {
    for (z = 0; z < nz; z++)
      for (y = 0; y < ny; y++)
        for (x = 0; x < nx; x++) {
          c = x + y * nx + z * nx * ny;
          w = (x == 0) ? c : c - 1;
          e = (x == nx - 1) ? c : c + 1;
          n = (y == 0) ? c : c - nx;
          s = (y == ny - 1) ? c : c + nx;
          b = (z == 0) ? c : c - nx * ny;
          t = (z == nz - 1) ? c : c + nx * ny;
          tOut[c] = tIn[c]*cc + tIn[n]*cn + tIn[s]*cs + tIn[e]*ce + tIn[w]*cw + tIn[t]*ct + tIn[b]*cb + (dt/Cap) * pIn[c] + ct*amb_temp;
        }
    float *temp = tIn; tIn = tOut; tOut = temp;
  }
#pragma endscop
}
int main(void) {
  for (int k = 0; k < NX*NY*NZ; k++) { tIn[k] = 300 + k % 17; pIn[k] = (k % 7) * 0.01f; tOut[k] = 0; }
  computeTempCPU(pIn, tIn, tOut, NX, NY, NZ, 0.5f, 10.f, 12.f, 14.f, 0.001f, 80.f, 6);
  ADD(tIn);
  ADD(tOut);
  PRINT();
  return 0;
}
