// The last of a loop's values.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    s = a[i] * s;
    b[i] = s;
  }
#pragma endscop
}
// ----
last_value.c:6:16: error: `s`, which has been written as `s`, is read one iteration of `i` later [scop-dependence]
    6 |     s = a[i] * s;
      |                ^
last_value.c:6:5: note: written here
    6 |     s = a[i] * s;
      |     ^
last_value.c:5:3: note: the loop that is in the way
    5 |   for (int i = 0; i < n; i++) {
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
