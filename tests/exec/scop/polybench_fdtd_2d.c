/* PolyBench's fdtd-2d with its macros. */
#include "check.h"
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#define _PB_TMAX tmax
#define _PB_NX nx
#define _PB_NY ny
#define TMAX 9
#define NX 31
#define NY 42
static void kernel_fdtd_2d(int tmax, int nx, int ny, DATA_TYPE ex[NX][NY], DATA_TYPE ey[NX][NY], DATA_TYPE hz[NX][NY], DATA_TYPE _fict_[TMAX]) {
  int t, i, j;
#pragma scop

  for(t = 0; t < _PB_TMAX; t++)
    {
      for (j = 0; j < _PB_NY; j++)
	ey[0][j] = _fict_[t];
      for (i = 1; i < _PB_NX; i++)
	for (j = 0; j < _PB_NY; j++)
	  ey[i][j] = ey[i][j] - SCALAR_VAL(0.5)*(hz[i][j]-hz[i-1][j]);
      for (i = 0; i < _PB_NX; i++)
	for (j = 1; j < _PB_NY; j++)
	  ex[i][j] = ex[i][j] - SCALAR_VAL(0.5)*(hz[i][j]-hz[i][j-1]);
      for (i = 0; i < _PB_NX - 1; i++)
	for (j = 0; j < _PB_NY - 1; j++)
	  hz[i][j] = hz[i][j] - SCALAR_VAL(0.7)*  (ex[i][j+1] - ex[i][j] +
				       ey[i+1][j] - ey[i][j]);
    }

#pragma endscop
}
DATA_TYPE ex[NX][NY], ey[NX][NY], hz[NX][NY], fict[TMAX];
int main(void) {
  FILL(ex, double); FILL(ey, double); FILL(hz, double); FILL(fict, double);
  kernel_fdtd_2d(TMAX, NX, NY, ex, ey, hz, fict);
  kernel_fdtd_2d(3, 5, 4, ex, ey, hz, fict);
  ADD(ex); ADD(ey); ADD(hz);
  PRINT();
  return 0;
}
