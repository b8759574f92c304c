// A statement overwrites what a later one reads.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 99; i++) {
    a[i] = b[i] * 2;
    b[i] = a[i+1];
  }
#pragma endscop
}
// ----
anti_across.c:6:5: error: `a[i]`, which has been read as `a[i+1]`, is written one iteration of `i` later [scop-dependence]
    6 |     a[i] = b[i] * 2;
      |     ^~~~
anti_across.c:7:12: note: read here
    7 |     b[i] = a[i+1];
      |            ^~~~~~
anti_across.c:5:3: note: the loop that is in the way
    5 |   for (int i = 0; i < 99; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each statement is computed at all points before the next one: put the statements into loops of their own where that is what is meant, or write a second array
