// A sum of two counters.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 50; j++) a[i + j] = 1;
#pragma endscop
}
// ----
subscript_sum.c:6:34: error: `a[i+j]`, which has been written as `a[i+j]`, is written again one iteration of `i` later [scop-dependence]
    6 |     for (int j = 0; j < 50; j++) a[i + j] = 1;
      |                                  ^~~~~~~~
subscript_sum.c:6:34: note: written here
    6 |     for (int j = 0; j < 50; j++) a[i + j] = 1;
      |                                  ^~~~~~~~
subscript_sum.c:5:3: note: the loop that is in the way
    5 |   for (int i = 0; i < 50; i++)
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each element is written once by an array assignment
