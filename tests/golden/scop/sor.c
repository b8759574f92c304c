// Successive over-relaxation.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int t = 0; t < 10; t++)
    for (int i = 1; i < 99; i++)
      for (int j = 1; j < 99; j++) {
        double r = u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4 * u[i][j];
        u[i][j] += 0.4 * r;
      }
#pragma endscop
}
// ----
sor.c:8:20: error: `u[i-1][j]`, which has been written as `u[i][j]`, is read one iteration of `i` later [scop-dependence]
    8 |         double r = u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4 * u[i][j];
      |                    ^~~~~~~~~
sor.c:9:9: note: written here
    9 |         u[i][j] += 0.4 * r;
      |         ^~~~~~~
sor.c:6:5: note: the loop that is in the way
    6 |     for (int i = 1; i < 99; i++)
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each statement is computed at all points before the next one: put the statements into loops of their own where that is what is meant, or write a second array
sor.c:8:44: error: `u[i][j-1]`, which has been written as `u[i][j]`, is read one iteration of `j` later [scop-dependence]
    8 |         double r = u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4 * u[i][j];
      |                                            ^~~~~~~~~
sor.c:9:9: note: written here
    9 |         u[i][j] += 0.4 * r;
      |         ^~~~~~~
sor.c:7:7: note: the loop that is in the way
    7 |       for (int j = 1; j < 99; j++) {
      |       ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each statement is computed at all points before the next one: put the statements into loops of their own where that is what is meant, or write a second array
