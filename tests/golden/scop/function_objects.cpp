// Functions of objects that a region cannot put in place of their calls.
#include <vector>
class Closed {
 public:
  double& operator()(int j, int i) { return values_[j * 10 + i]; }
  virtual double at(int i) const { return values_[i]; }

 private:
  std::vector<double> values_;
};
struct Settings {
  double scale;
  int n;
};
static double doubled(Settings settings, double x) {
  settings.scale *= 2.0;
  return settings.scale * x;
}
static double& checked(std::vector<double>& u, int i) {
  if (i < 0) i = 0;
  return u[i];
}
static void exchange(double* a, double* b) {
  double* c = a;
  a = b;
  b = c;
}
void run(Closed& closed, Settings settings, std::vector<double>& u, double* v, double* w, int n) {
  double factor = 1.0;
  const auto scaled = [=](double x) { return factor * x; };
  factor = 2.0;
#pragma scop
  for (int i = 0; i < n; i++) u[i] = closed(0, i);
  for (int i = 0; i < n; i++) u[i] = closed.at(i);
  for (int i = 0; i < n; i++) u[i] = doubled(settings, u[i]);
  for (int i = 0; i < n; i++) checked(u, i) = 1.0;
  for (int i = 0; i < n; i++) u[i] = scaled(u[i]);
  exchange(v, w);
#pragma endscop
}
// ----
function_objects.cpp:25:3: error: a region has no counterpart for a pointer that a function sets or exchanges [c-statement]
   25 |   a = b;
      |   ^~~~~
  hint: exchange pointers in the region itself
function_objects.cpp:26:3: error: a region has no counterpart for a pointer that a function sets or exchanges [c-statement]
   26 |   b = c;
      |   ^~~~~
  hint: exchange pointers in the region itself
function_objects.cpp:33:38: error: a function that is called here uses `closed.values_`, which the region's function may not name [c-function]
   33 |   for (int i = 0; i < n; i++) u[i] = closed(0, i);
      |                                      ^~~~~~~~~~~~
  hint: make it a public member of the object's own class, or name its elements by a pointer
function_objects.cpp:34:38: error: `at` is called, and what it does is not known here [c-call]
   34 |   for (int i = 0; i < n; i++) u[i] = closed.at(i);
      |                                      ^~~~~~~~~~~~
  hint: define it in this file or a header, or write what it computes in its place; functions of <math.h> are known
function_objects.cpp:35:38: error: `doubled` is called, and does more than compute a number [c-function]
   35 |   for (int i = 0; i < n; i++) u[i] = doubled(settings, u[i]);
      |                                      ^~~~~~~~~~~~~~~~~~~~~~~
  hint: functions may declare scalars, assign to them, decide by `if`, turn in loops of known numbers, and return a number
function_objects.cpp:36:31: error: `checked` is called, and does more than return an element [c-function]
   36 |   for (int i = 0; i < n; i++) checked(u, i) = 1.0;
      |                               ^~~~~~~~~~~~~
function_objects.cpp:37:38: error: a lambda that is called here keeps a copy of `factor`, which changes in this function [c-function]
   37 |   for (int i = 0; i < n; i++) u[i] = scaled(u[i]);
      |                                      ^~~~~~~~~~~~
  hint: let the lambda name it by reference: `[&]`
