// Copies of which it is not seen what they copy.
#include <string.h>
double u[10][20], v[10][20];
void run(int n, int m, double *p) {
#pragma scop
  memset(u, 1, sizeof u);
  memcpy(&u[1][3], v[2], n * sizeof(double));
  memcpy(p + 3, v, n * sizeof(double));
#pragma endscop
}
// ----
copy_bytes.c:6:3: error: what `memset` does here is no copy of rows of one array to another [c-copy]
    6 |   memset(u, 1, sizeof u);
      |   ^~~~~~~~~~~~~~~~~~~~~~
  hint: whole arrays and rows of the same type are known, as in memcpy(a, b, sizeof a) and memcpy(a, b, n*m*sizeof(double)), and memset(a, 0, sizeof a); else write the loop
copy_bytes.c:7:3: error: what `memcpy` does here is no copy of rows of one array to another [c-copy]
    7 |   memcpy(&u[1][3], v[2], n * sizeof(double));
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: whole arrays and rows of the same type are known, as in memcpy(a, b, sizeof a) and memcpy(a, b, n*m*sizeof(double)), and memset(a, 0, sizeof a); else write the loop
copy_bytes.c:8:3: error: what `memcpy` does here is no copy of rows of one array to another [c-copy]
    8 |   memcpy(p + 3, v, n * sizeof(double));
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: whole arrays and rows of the same type are known, as in memcpy(a, b, sizeof a) and memcpy(a, b, n*m*sizeof(double)), and memset(a, 0, sizeof a); else write the loop
