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
