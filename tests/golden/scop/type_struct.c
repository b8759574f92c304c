// An array of structures.
struct Point { double x; } points[10];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) points[i].x = 0;
#pragma endscop
}
// ----
type_struct.c:5:31: error: `x` is no variable [c-name]
    5 |   for (int i = 0; i < 9; i++) points[i].x = 0;
      |                               ^~~~~~~~~~~
  hint: members of single structures are variables here, not those of arrays of them: keep one array for each member
