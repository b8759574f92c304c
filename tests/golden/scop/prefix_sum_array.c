// A running sum in an array.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 1; i < n; i++) a[i] += a[i-1];
#pragma endscop
}
// ----
prefix_sum_array.c:5:39: error: `a[i-1]`, which has been written as `a[i]`, is read one iteration of `i` later [scop-dependence]
    5 |   for (int i = 1; i < n; i++) a[i] += a[i-1];
      |                                       ^~~~~~
prefix_sum_array.c:5:31: note: written here
    5 |   for (int i = 1; i < n; i++) a[i] += a[i-1];
      |                               ^~~~
prefix_sum_array.c:5:3: note: the loop that is in the way
    5 |   for (int i = 1; i < n; i++) a[i] += a[i-1];
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each value needs the one before it, as in a running sum or a solver along a line: no array assignment computes that. End the region before this loop
