// A loop that tests at its end.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  do {
    a[0] = 1;
  } while (a[0] > 2);
#pragma endscop
}
// ----
loop_do.c:5:3: error: a region has no counterpart for a loop that is not `for` [c-statement]
    5 |   do {
      |   ^
  hint: count its turns: for (int t = 0; t < steps; t++)
