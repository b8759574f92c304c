// Arguments that no region follows.
#pragma stencilgen block:32,8
int x;
void f(void) {}
// ----
directive_lost.c:1:1: warning: the file has no `#pragma dsl begin` and no `#pragma scop`, and is only copied [no-blocks]
    1 | // Arguments that no region follows.
      | ^
directive_lost.c:2:1: warning: no `#pragma scop` follows, so these arguments do nothing [lost-arguments]
    2 | #pragma stencilgen block:32,8
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: put it on the line before `#pragma scop`
