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
