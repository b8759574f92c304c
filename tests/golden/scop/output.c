// An element is written by several iterations.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 1; i < 99; i++) {
    a[i] = 1;
    a[i+1] = b[i];
  }
#pragma endscop
}
// ----
output.c:6:5: error: `a[i]`, which has been written as `a[i+1]`, is written again one iteration of `i` later [scop-dependence]
    6 |     a[i] = 1;
      |     ^~~~
output.c:7:5: note: written here
    7 |     a[i+1] = b[i];
      |     ^~~~~~
output.c:5:3: note: the loop that is in the way
    5 |   for (int i = 1; i < 99; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each statement is computed at all points before the next one: put the statements into loops of their own where that is what is meant, or write a second array
