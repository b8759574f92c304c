// The next turn of a loop around the region reads what it leaves.
double u[100], v[100];
double run(int n, int steps) {
  double last = 0.0, sum = 0.0;
  for (int t = 0; t < steps; t++) {
    sum += last;
#pragma scop
    for (int i = 1; i < n - 1; i++) {
      last = u[i - 1] + u[i + 1];
      v[i] = last;
    }
#pragma endscop
  }
  return sum;
}
// ----
value_after_turn.c:9:7: error: `last`, which has been read as `last`, is written one iteration of `i` later [scop-dependence]
    9 |       last = u[i - 1] + u[i + 1];
      |       ^~~~
value_after_turn.c:10:14: note: read here
   10 |       v[i] = last;
      |              ^~~~
value_after_turn.c:8:5: note: the loop that is in the way
    8 |     for (int i = 1; i < n - 1; i++) {
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: an array assignment computes all points at once: no scalar carries a value from one point to the next
