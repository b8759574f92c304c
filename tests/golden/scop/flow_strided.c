// Steps of two, four apart.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 4; i < n; i += 2) a[i] = a[i-4] + 1;
#pragma endscop
}
// ----
flow_strided.c:5:41: error: `a[i-4]`, which has been written as `a[i]`, is read 2 iterations of `i` later [scop-dependence]
    5 |   for (int i = 4; i < n; i += 2) a[i] = a[i-4] + 1;
      |                                         ^~~~~~
flow_strided.c:5:34: note: written here
    5 |   for (int i = 4; i < n; i += 2) a[i] = a[i-4] + 1;
      |                                  ^~~~
flow_strided.c:5:3: note: the loop that is in the way
    5 |   for (int i = 4; i < n; i += 2) a[i] = a[i-4] + 1;
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each value needs the one before it, as in a running sum or a solver along a line: no array assignment computes that. End the region before this loop
