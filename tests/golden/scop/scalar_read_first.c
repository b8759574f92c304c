// A scalar that some points only read.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  double t = 0;
  for (int i = 0; i < 100; i++) {
    if (a[i] > 0) t = a[i];
    b[i] = t;
  }
#pragma endscop
}
// ----
scalar_read_first.c:7:19: error: `t`, which has been read as `t`, is written one iteration of `i` later [scop-dependence]
    7 |     if (a[i] > 0) t = a[i];
      |                   ^
scalar_read_first.c:8:12: note: read here
    8 |     b[i] = t;
      |            ^
scalar_read_first.c:6:3: note: the loop that is in the way
    6 |   for (int i = 0; i < 100; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
