// An array of long.
long big[10];
void run(int n, int m) {
#pragma scop
  for (int i = 0; i < 9; i++) big[i] = 0;
#pragma endscop
}
// ----
type_long.c:5:31: error: `big` has the type `long`, which stencil programs have not [c-type]
    5 |   for (int i = 0; i < 9; i++) big[i] = 0;
      |                               ^~~
  hint: arrays of bool, int, float and double are known, those of char and short, and scalars of C's other integers
