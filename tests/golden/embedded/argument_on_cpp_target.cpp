// command: --target cpp
void f(double* in, double* out, int M, int N) {
#pragma dsl begin stream:q
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.5*(A[j-1][i] + A[j+1][i]); }
  s (in, out);
  copyout out;
#pragma dsl end
}
// ----
argument_on_cpp_target.cpp:3:26: error: `stream`: the program has no iterator `q` [argument-value]
    3 | #pragma dsl begin stream:q
      |                          ^
  hint: the iterators are `j` and `i`
