// A loop that counts down.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = n - 2; i >= 0; i--) a[i] = a[i+1] * 0.5;
#pragma endscop
}
// ----
flow_backwards.c:5:43: error: `a[i+1]`, which has been written as `a[i]`, is read one iteration of `i` later [scop-dependence]
    5 |   for (int i = n - 2; i >= 0; i--) a[i] = a[i+1] * 0.5;
      |                                           ^~~~~~
flow_backwards.c:5:36: note: written here
    5 |   for (int i = n - 2; i >= 0; i--) a[i] = a[i+1] * 0.5;
      |                                    ^~~~
flow_backwards.c:5:3: note: the loop that is in the way
    5 |   for (int i = n - 2; i >= 0; i--) a[i] = a[i+1] * 0.5;
      |   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: each value needs the one before it, as in a running sum or a solver along a line: no array assignment computes that. End the region before this loop
