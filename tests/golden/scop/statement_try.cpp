// A block that catches.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) try { a[i] = 0; } catch (...) {}
#pragma endscop
}
// ----
statement_try.cpp:5:31: error: a region has no counterpart for this statement [c-statement]
    5 |   for (int i = 0; i < n; i++) try { a[i] = 0; } catch (...) {}
      |                               ^
  hint: regions hold loops, conditions and assignments
