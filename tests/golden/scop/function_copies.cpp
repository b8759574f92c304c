// Copies of objects, references to what changes, and members that the region's function cannot name.
double c = 0.3;
static double scaled(double x) { return c * x; }
struct Base {
  double u[9];
  double get(int i) const { return u[i]; }
};
struct Derived : Base {
  double u[9];
};
struct Grid {
  double u[9];
  int n;
};
static void sweep(Grid from, Grid& to) {
  for (int i = 1; i < 9; i++) to.u[i] = from.u[i];
}
static double twice(double x) {
  double& same = x;
  same *= 2.0;
  return x;
}
struct Solver {
  double c = 7, v[9];
  void run(Grid& grid, Derived& derived, int k) {
#pragma scop
    for (int i = 0; i < 9; i++) v[i] = scaled(grid.u[i]);
    for (int i = 0; i < 9; i++) v[i] = derived.get(i);
    sweep(grid, grid);
    for (int i = 0; i < 9; i++) v[i] = twice(grid.u[i]);
    for (int i = 0; i < 9; i++) {
      double& to = v[i + k];
      to = 1.0;
      k = 3;
    }
    for (int i = 0; i < 9; i++) {
      const float& rounded = v[i];
      grid.u[i] = rounded;
    }
#pragma endscop
  }
};
// ----
function_copies.cpp:28:40: error: a function that is called here uses `derived.u`, which the region's function may not name [c-function]
   28 |     for (int i = 0; i < 9; i++) v[i] = derived.get(i);
      |                                        ^~~~~~~~~~~~~~
  hint: make it a public member of the object's own class, or name its elements by a pointer
function_copies.cpp:29:5: error: `sweep` is called, and takes a copy of an object that it may change, or that holds arrays [c-function]
   29 |     sweep(grid, grid);
      |     ^~~~~~~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
function_copies.cpp:30:40: error: `twice` is called, and has a reference to what changes [c-function]
   30 |     for (int i = 0; i < 9; i++) v[i] = twice(grid.u[i]);
      |                                        ^~~~~~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
function_copies.cpp:32:7: error: this refers to an element by way of `k`, which changes [c-reference]
   32 |       double& to = v[i + k];
      |       ^~~~~~~~~~~~~~~~~~~~~
function_copies.cpp:32:22: error: this subscript is not a sum of loops' counters and sizes, each times a number [c-not-affine]
   32 |       double& to = v[i + k];
      |                      ^~~~~
  hint: as `2*i + n - 1`; what the region changes, elements of arrays and products of counters cannot stand there
function_copies.cpp:37:7: error: `rounded` refers to no element or scalar of its own type [c-reference]
   37 |       const float& rounded = v[i];
      |       ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: declare a variable of its own
