// Options that clang does not know.
// command: -- -std=c1066
double a[9];
void run(void) {
#pragma scop
  for (int i = 0; i < 9; i++) a[i] = 0;
#pragma endscop
}
// ----
c_options.c:1:1: error: clang cannot read this file: it refuses the compiler's options [c-unreadable]
    1 | // Options that clang does not know.
      | ^
  hint: what follows `--` are options of clang, as `-Iinclude -DSIZE=100`
