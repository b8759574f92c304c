// A statement reads what a later one has written.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 1; i < 100; i++) {
    a[i] = b[i-1];
    b[i] = 3 * v[0][i];
  }
#pragma endscop
}
// ----
flow_across.c:6:12: error: `b[i-1]`, which has been written as `b[i]`, is read one iteration of `i` later [scop-dependence]
    6 |     a[i] = b[i-1];
      |            ^~~~~~
flow_across.c:7:5: note: written here
    7 |     b[i] = 3 * v[0][i];
      |     ^~~~
flow_across.c:5:3: note: the loop that is in the way
    5 |   for (int i = 1; i < 100; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each statement is computed at all points before the next one: put the statements into loops of their own where that is what is meant, or write a second array
