// Only one of two dimensions is in place.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 1; i < 99; i++)
    for (int j = 1; j < 99; j++) u[i][j] = 0.5 * (u[i][j+1] + u[i-1][j+1]);
#pragma endscop
}
// ----
half_in_place.c:6:63: error: `u[i-1][j+1]`, which has been written as `u[i][j]`, is read one iteration of `i` later [scop-dependence]
    6 |     for (int j = 1; j < 99; j++) u[i][j] = 0.5 * (u[i][j+1] + u[i-1][j+1]);
      |                                                               ^~~~~~~~~~~
half_in_place.c:6:34: note: written here
    6 |     for (int j = 1; j < 99; j++) u[i][j] = 0.5 * (u[i][j+1] + u[i-1][j+1]);
      |                                  ^~~~~~~
half_in_place.c:5:3: note: the loop that is in the way
    5 |   for (int i = 1; i < 99; i++)
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once, from values before it: update in two colours (all even points, then all odd ones), or write a second array
