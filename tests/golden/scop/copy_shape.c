// Copies between arrays of other shapes, and of parts of elements.
#include <string.h>
double u[10][20], v[10][20], w[20][10];
float f[10][20];
void run(double a[10][20]) {
#pragma scop
  memcpy(u, v, 12);
  memcpy(u, w, sizeof u);
  memcpy(u, f, sizeof f);
  memcpy(a, u, sizeof a);
#pragma endscop
}
// ----
copy_shape.c:7:3: error: what `memcpy` does here is no copy of rows of one array to another [c-copy]
    7 |   memcpy(u, v, 12);
      |   ^~~~~~~~~~~~~~~~
  hint: whole arrays and rows of the same type are known, as in memcpy(a, b, sizeof a) and memcpy(a, b, n*m*sizeof(double)), and memset(a, 0, sizeof a); else write the loop
copy_shape.c:8:3: error: what `memcpy` does here is no copy of rows of one array to another [c-copy]
    8 |   memcpy(u, w, sizeof u);
      |   ^~~~~~~~~~~~~~~~~~~~~~
  hint: whole arrays and rows of the same type are known, as in memcpy(a, b, sizeof a) and memcpy(a, b, n*m*sizeof(double)), and memset(a, 0, sizeof a); else write the loop
copy_shape.c:9:3: error: what `memcpy` does here is no copy of rows of one array to another [c-copy]
    9 |   memcpy(u, f, sizeof f);
      |   ^~~~~~~~~~~~~~~~~~~~~~
  hint: whole arrays and rows of the same type are known, as in memcpy(a, b, sizeof a) and memcpy(a, b, n*m*sizeof(double)), and memset(a, 0, sizeof a); else write the loop
copy_shape.c:10:3: error: what `memcpy` does here is no copy of rows of one array to another [c-copy]
   10 |   memcpy(a, u, sizeof a);
      |   ^~~~~~~~~~~~~~~~~~~~~~
  hint: whole arrays and rows of the same type are known, as in memcpy(a, b, sizeof a) and memcpy(a, b, n*m*sizeof(double)), and memset(a, 0, sizeof a); else write the loop
