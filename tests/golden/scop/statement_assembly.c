// Machine code.
double u[100][100], v[100][100], a[100], b[100], s;
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) __asm__("nop");
#pragma endscop
}
// ----
statement_assembly.c:5:31: error: a region has no counterpart for this statement [c-statement]
    5 |   for (int i = 0; i < n; i++) __asm__("nop");
      |                               ^
  hint: regions hold loops, conditions and assignments
