// PolyBench's deriche: filters that run along lines.
#include <math.h>
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#define EXP_FUN(x) expf(x)
#define POW_FUN(x,y) powf(x,y)
#define W 40
#define H 30
#define _PB_W w
#define _PB_H h
void kernel_deriche(int w, int h, DATA_TYPE alpha, DATA_TYPE imgIn[W][H], DATA_TYPE imgOut[W][H], DATA_TYPE y1[W][H], DATA_TYPE y2[W][H]) {
    int i,j;
    DATA_TYPE xm1, tm1, ym1, ym2;
    DATA_TYPE xp1, xp2;
    DATA_TYPE tp1, tp2;
    DATA_TYPE yp1, yp2;

    DATA_TYPE k;
    DATA_TYPE a1, a2, a3, a4, a5, a6, a7, a8;
    DATA_TYPE b1, b2, c1, c2;

#pragma scop
   k = (SCALAR_VAL(1.0)-EXP_FUN(-alpha))*(SCALAR_VAL(1.0)-EXP_FUN(-alpha))/(SCALAR_VAL(1.0)+SCALAR_VAL(2.0)*alpha*EXP_FUN(-alpha)-EXP_FUN(SCALAR_VAL(2.0)*alpha));
   a1 = a5 = k;
   a2 = a6 = k*EXP_FUN(-alpha)*(alpha-SCALAR_VAL(1.0));
   a3 = a7 = k*EXP_FUN(-alpha)*(alpha+SCALAR_VAL(1.0));
   a4 = a8 = -k*EXP_FUN(SCALAR_VAL(-2.0)*alpha);
   b1 =  POW_FUN(SCALAR_VAL(2.0),-alpha);
   b2 = -EXP_FUN(SCALAR_VAL(-2.0)*alpha);
   c1 = c2 = 1;

   for (i=0; i<_PB_W; i++) {
        ym1 = SCALAR_VAL(0.0);
        ym2 = SCALAR_VAL(0.0);
        xm1 = SCALAR_VAL(0.0);
        for (j=0; j<_PB_H; j++) {
            y1[i][j] = a1*imgIn[i][j] + a2*xm1 + b1*ym1 + b2*ym2;
            xm1 = imgIn[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }

    for (i=0; i<_PB_W; i++) {
        yp1 = SCALAR_VAL(0.0);
        yp2 = SCALAR_VAL(0.0);
        xp1 = SCALAR_VAL(0.0);
        xp2 = SCALAR_VAL(0.0);
        for (j=_PB_H-1; j>=0; j--) {
            y2[i][j] = a3*xp1 + a4*xp2 + b1*yp1 + b2*yp2;
            xp2 = xp1;
            xp1 = imgIn[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }

    for (i=0; i<_PB_W; i++)
        for (j=0; j<_PB_H; j++) {
            imgOut[i][j] = c1 * (y1[i][j] + y2[i][j]);
        }

    for (j=0; j<_PB_H; j++) {
        tm1 = SCALAR_VAL(0.0);
        ym1 = SCALAR_VAL(0.0);
        ym2 = SCALAR_VAL(0.0);
        for (i=0; i<_PB_W; i++) {
            y1[i][j] = a5*imgOut[i][j] + a6*tm1 + b1*ym1 + b2*ym2;
            tm1 = imgOut[i][j];
            ym2 = ym1;
            ym1 = y1 [i][j];
        }
    }

    for (j=0; j<_PB_H; j++) {
        tp1 = SCALAR_VAL(0.0);
        tp2 = SCALAR_VAL(0.0);
        yp1 = SCALAR_VAL(0.0);
        yp2 = SCALAR_VAL(0.0);
        for (i=_PB_W-1; i>=0; i--) {
            y2[i][j] = a7*tp1 + a8*tp2 + b1*yp1 + b2*yp2;
            tp2 = tp1;
            tp1 = imgOut[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }

    for (i=0; i<_PB_W; i++)
        for (j=0; j<_PB_H; j++)
            imgOut[i][j] = c2*(y1[i][j] + y2[i][j]);

#pragma endscop
}
// ----
polybench_deriche.c:37:44: error: `xm1`, which has been written as `xm1`, is read one iteration of `j` later [scop-dependence]
   37 |             y1[i][j] = a1*imgIn[i][j] + a2*xm1 + b1*ym1 + b2*ym2;
      |                                            ^~~
polybench_deriche.c:38:13: note: written here
   38 |             xm1 = imgIn[i][j];
      |             ^~~
polybench_deriche.c:36:9: note: the loop that is in the way
   36 |         for (j=0; j<_PB_H; j++) {
      |         ^~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:37:53: error: `ym1`, which has been written as `ym1`, is read one iteration of `j` later [scop-dependence]
   37 |             y1[i][j] = a1*imgIn[i][j] + a2*xm1 + b1*ym1 + b2*ym2;
      |                                                     ^~~
polybench_deriche.c:40:13: note: written here
   40 |             ym1 = y1[i][j];
      |             ^~~
polybench_deriche.c:36:9: note: the loop that is in the way
   36 |         for (j=0; j<_PB_H; j++) {
      |         ^~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:37:62: error: `ym2`, which has been written as `ym2`, is read one iteration of `j` later [scop-dependence]
   37 |             y1[i][j] = a1*imgIn[i][j] + a2*xm1 + b1*ym1 + b2*ym2;
      |                                                              ^~~
polybench_deriche.c:39:13: note: written here
   39 |             ym2 = ym1;
      |             ^~~
polybench_deriche.c:36:9: note: the loop that is in the way
   36 |         for (j=0; j<_PB_H; j++) {
      |         ^~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:50:27: error: `xp1`, which has been written as `xp1`, is read one iteration of `j` later [scop-dependence]
   50 |             y2[i][j] = a3*xp1 + a4*xp2 + b1*yp1 + b2*yp2;
      |                           ^~~
polybench_deriche.c:52:13: note: written here
   52 |             xp1 = imgIn[i][j];
      |             ^~~
polybench_deriche.c:49:9: note: the loop that is in the way
   49 |         for (j=_PB_H-1; j>=0; j--) {
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:50:36: error: `xp2`, which has been written as `xp2`, is read one iteration of `j` later [scop-dependence]
   50 |             y2[i][j] = a3*xp1 + a4*xp2 + b1*yp1 + b2*yp2;
      |                                    ^~~
polybench_deriche.c:51:13: note: written here
   51 |             xp2 = xp1;
      |             ^~~
polybench_deriche.c:49:9: note: the loop that is in the way
   49 |         for (j=_PB_H-1; j>=0; j--) {
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:50:45: error: `yp1`, which has been written as `yp1`, is read one iteration of `j` later [scop-dependence]
   50 |             y2[i][j] = a3*xp1 + a4*xp2 + b1*yp1 + b2*yp2;
      |                                             ^~~
polybench_deriche.c:54:13: note: written here
   54 |             yp1 = y2[i][j];
      |             ^~~
polybench_deriche.c:49:9: note: the loop that is in the way
   49 |         for (j=_PB_H-1; j>=0; j--) {
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:50:54: error: `yp2`, which has been written as `yp2`, is read one iteration of `j` later [scop-dependence]
   50 |             y2[i][j] = a3*xp1 + a4*xp2 + b1*yp1 + b2*yp2;
      |                                                      ^~~
polybench_deriche.c:53:13: note: written here
   53 |             yp2 = yp1;
      |             ^~~
polybench_deriche.c:49:9: note: the loop that is in the way
   49 |         for (j=_PB_H-1; j>=0; j--) {
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:68:45: error: `tm1`, which has been written as `tm1`, is read one iteration of `i` later [scop-dependence]
   68 |             y1[i][j] = a5*imgOut[i][j] + a6*tm1 + b1*ym1 + b2*ym2;
      |                                             ^~~
polybench_deriche.c:69:13: note: written here
   69 |             tm1 = imgOut[i][j];
      |             ^~~
polybench_deriche.c:67:9: note: the loop that is in the way
   67 |         for (i=0; i<_PB_W; i++) {
      |         ^~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:68:54: error: `ym1`, which has been written as `ym1`, is read one iteration of `i` later [scop-dependence]
   68 |             y1[i][j] = a5*imgOut[i][j] + a6*tm1 + b1*ym1 + b2*ym2;
      |                                                      ^~~
polybench_deriche.c:71:13: note: written here
   71 |             ym1 = y1 [i][j];
      |             ^~~
polybench_deriche.c:67:9: note: the loop that is in the way
   67 |         for (i=0; i<_PB_W; i++) {
      |         ^~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:68:63: error: `ym2`, which has been written as `ym2`, is read one iteration of `i` later [scop-dependence]
   68 |             y1[i][j] = a5*imgOut[i][j] + a6*tm1 + b1*ym1 + b2*ym2;
      |                                                               ^~~
polybench_deriche.c:70:13: note: written here
   70 |             ym2 = ym1;
      |             ^~~
polybench_deriche.c:67:9: note: the loop that is in the way
   67 |         for (i=0; i<_PB_W; i++) {
      |         ^~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:81:27: error: `tp1`, which has been written as `tp1`, is read one iteration of `i` later [scop-dependence]
   81 |             y2[i][j] = a7*tp1 + a8*tp2 + b1*yp1 + b2*yp2;
      |                           ^~~
polybench_deriche.c:83:13: note: written here
   83 |             tp1 = imgOut[i][j];
      |             ^~~
polybench_deriche.c:80:9: note: the loop that is in the way
   80 |         for (i=_PB_W-1; i>=0; i--) {
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:81:36: error: `tp2`, which has been written as `tp2`, is read one iteration of `i` later [scop-dependence]
   81 |             y2[i][j] = a7*tp1 + a8*tp2 + b1*yp1 + b2*yp2;
      |                                    ^~~
polybench_deriche.c:82:13: note: written here
   82 |             tp2 = tp1;
      |             ^~~
polybench_deriche.c:80:9: note: the loop that is in the way
   80 |         for (i=_PB_W-1; i>=0; i--) {
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:81:45: error: `yp1`, which has been written as `yp1`, is read one iteration of `i` later [scop-dependence]
   81 |             y2[i][j] = a7*tp1 + a8*tp2 + b1*yp1 + b2*yp2;
      |                                             ^~~
polybench_deriche.c:85:13: note: written here
   85 |             yp1 = y2[i][j];
      |             ^~~
polybench_deriche.c:80:9: note: the loop that is in the way
   80 |         for (i=_PB_W-1; i>=0; i--) {
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
polybench_deriche.c:81:54: error: `yp2`, which has been written as `yp2`, is read one iteration of `i` later [scop-dependence]
   81 |             y2[i][j] = a7*tp1 + a8*tp2 + b1*yp1 + b2*yp2;
      |                                                      ^~~
polybench_deriche.c:84:13: note: written here
   84 |             yp2 = yp1;
      |             ^~~
polybench_deriche.c:80:9: note: the loop that is in the way
   80 |         for (i=_PB_W-1; i>=0; i--) {
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
