// A factor for each time step, of an array that changes.
double u[100], v[100], w[40];
void run(int steps) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    double factor = v[t];
    for (int i = 1; i < 99; i++) v[i] = factor * (u[i - 1] + u[i + 1]);
    for (int i = 1; i < 99; i++) u[i] = v[i];
  }
#pragma endscop
}
// ----
scalar_of_turn.c:6:5: error: `factor` has one value for all points, which elements of arrays cannot set [c-element-for-all]
    6 |     double factor = v[t];
      |     ^~~~~~~~~~~~~~~~~~~~
  hint: name the element itself where the scalar is read: `w[t]*u[i]`
