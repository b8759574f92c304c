// Numbers of 16 bits that are no elements.
struct __half { unsigned short x; };
void run(int n, _Float16 factor, _Float16 *u, struct __half *v) {
  _Float16 sum = 0;
#pragma scop
  for (int i = 0; i < n; i++) u[i] = factor * u[i];
  for (int i = 0; i < n; i++) sum += u[i];
  for (int i = 0; i < n; i++) v[i].x = 0;
#pragma endscop
}
// ----
type_half.c:6:38: error: `factor` has the type `_Float16`, which stencil programs have not [c-type]
    6 |   for (int i = 0; i < n; i++) u[i] = factor * u[i];
      |                                      ^~~~~~
  hint: arrays may be of it, and scalars that the region declares: use a `float`
type_half.c:7:31: error: `sum` has the type `_Float16`, which stencil programs have not [c-type]
    7 |   for (int i = 0; i < n; i++) sum += u[i];
      |                               ^~~
  hint: arrays may be of it, and scalars that the region declares: use a `float`
type_half.c:8:31: error: `x` is no variable [c-name]
    8 |   for (int i = 0; i < n; i++) v[i].x = 0;
      |                               ^~~~~~
  hint: members of single structures are variables here, not those of arrays of them: keep one array for each member
