// A loop that is not counted.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  while (n > 0) a[0] = 1;
#pragma endscop
}
// ----
loop_while.c:5:3: error: a region has no counterpart for a loop that is not `for` [c-statement]
    5 |   while (n > 0) a[0] = 1;
      |   ^
  hint: count its turns: for (int t = 0; t < steps; t++)
