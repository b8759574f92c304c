// A running sum in a scalar.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  double t = 0;
  for (int i = 0; i < n; i++) {
    t += a[i];
    b[i] = t;
  }
#pragma endscop
}
// ----
prefix_sum.c:7:5: error: `t`, which has been written as `t`, is read one iteration of `i` later [scop-dependence]
    7 |     t += a[i];
      |     ^
prefix_sum.c:7:5: note: written here
    7 |     t += a[i];
      |     ^
prefix_sum.c:6:3: note: the loop that is in the way
    6 |   for (int i = 0; i < n; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
