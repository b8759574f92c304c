// A value is read two iterations after it is written.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 2; i < n; i++) a[i] = a[i-2] + b[i];
#pragma endscop
}
// ----
flow_two_later.c:5:38: error: `a[i-2]`, which has been written as `a[i]`, is read 2 iterations of `i` later [scop-dependence]
    5 |   for (int i = 2; i < n; i++) a[i] = a[i-2] + b[i];
      |                                      ^~~~~~
flow_two_later.c:5:31: note: written here
    5 |   for (int i = 2; i < n; i++) a[i] = a[i-2] + b[i];
      |                               ^~~~
flow_two_later.c:5:3: note: the loop that is in the way
    5 |   for (int i = 2; i < n; i++) a[i] = a[i-2] + b[i];
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each value needs the one before it, as in a running sum or a solver along a line: no array assignment computes that. End the region before this loop
