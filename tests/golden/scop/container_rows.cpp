// Rows of containers may lie anywhere; a container of the region itself.
#include <vector>
void run(int n, std::vector<std::vector<double>>& rows, std::vector<bool>& flags,
         std::vector<double>& u) {
#pragma scop
  for (int i = 1; i < n; i++) rows[i][0] = 1.0;
  for (int i = 1; i < n; i++) flags[i] = true;
  for (int i = 1; i < n; i++) {
    std::vector<double> own(3);
    u[i] = 2.0;
  }
#pragma endscop
}
// ----
container_rows.cpp:6:31: error: `rows` is an array of pointers: its rows may lie anywhere [c-rows]
    6 |   for (int i = 1; i < n; i++) rows[i][0] = 1.0;
      |                               ^~~~
  hint: allocate one array and index it as `u[i*n + j]`, or as `double (*u)[n]`
container_rows.cpp:7:31: error: this is an operator of the class `reference`, and what it does is not known here [c-class]
    7 |   for (int i = 1; i < n; i++) flags[i] = true;
      |                               ^~~~~~~~~~~~~~~
  hint: regions compute with numbers, those of std::complex too, and with elements of std::vector, array, span and unique_ptr: name others by a pointer
container_rows.cpp:9:5: error: a region has no counterpart for a container that is declared inside of it [c-statement]
    9 |     std::vector<double> own(3);
      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: declare it before the region
