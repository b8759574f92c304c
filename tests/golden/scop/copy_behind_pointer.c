// A copy from where a pointer into an array points to.
#include <string.h>
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int j = 1; j < 10; j++) {
    double *row = a + 10 * j, *before = row - 10;
    memcpy(row, before, 10 * sizeof(double));
  }
#pragma endscop
}
// ----
copy_behind_pointer.c:8:5: error: what `memcpy` does here is no copy of rows of one array to another [c-copy]
    8 |     memcpy(row, before, 10 * sizeof(double));
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: whole arrays and rows of the same type are known, as in memcpy(a, b, sizeof a) and memcpy(a, b, n*m*sizeof(double)), and memset(a, 0, sizeof a); else write the loop
