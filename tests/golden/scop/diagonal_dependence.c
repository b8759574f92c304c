// A diagonal whose elements need each other.
double u[100][100];
void run(int n) {
#pragma scop
  for (int i = 1; i < 99; i++) u[i][i] = u[i - 1][i - 1] + 1.0;
#pragma endscop
}
// ----
diagonal_dependence.c:5:42: error: `u[i-1][i-1]`, which has been written as `u[i][i]`, is read one iteration of `i` later [scop-dependence]
    5 |   for (int i = 1; i < 99; i++) u[i][i] = u[i - 1][i - 1] + 1.0;
      |                                          ^~~~~~~~~~~~~~~
diagonal_dependence.c:5:32: note: written here
    5 |   for (int i = 1; i < 99; i++) u[i][i] = u[i - 1][i - 1] + 1.0;
      |                                ^~~~~~~
diagonal_dependence.c:5:3: note: the loop that is in the way
    5 |   for (int i = 1; i < 99; i++) u[i][i] = u[i - 1][i - 1] + 1.0;
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each value needs the one before it, as in a running sum or a solver along a line: no array assignment computes that. End the region before this loop
