// A switch.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  switch (n) {
    case 1:
      a[0] = 1;
  }
#pragma endscop
}
// ----
statement_switch.c:5:3: error: a region has no counterpart for `switch` [c-statement]
    5 |   switch (n) {
      |   ^
  hint: write it with `if`
