// Arrays of other layouts than the program's.
#include <array>

#include "check.h"
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

constexpr int kRows = 7, kColumns = 12;

/// A program that copies: out of a convolution with one weight of 1.
class Copier {
 public:
  explicit Copier(int rows = kRows, int columns = kColumns) : program_{rows, columns, 1} {
    const std::array<float, 9> w = {0, 0, 0, 0, 1, 0, 0, 0, 0};
    program_.upload_w(w);
  }
  convolution_Program& program() { return program_; }

 private:
  convolution_Program program_;
};

void TestPitched() {
  const int pitch = kColumns + 5;
  const auto in = Numbers<float>(kRows * pitch, 5);
  Copier copier;
  copier.program().upload_in(stencilgen::View<const float>(in.data(), {pitch, 1}));
  copier.program().run();
  std::vector<float> out(kRows * pitch, -7.0F);
  copier.program().download_out(stencilgen::View<float>(out.data(), {pitch, 1}));
  bool same = true;
  for (int j = 0; j < kRows; ++j) {
    for (int i = 0; i < pitch; ++i) {
      const auto at = static_cast<std::size_t>(j * pitch + i);
      // What lies between the rows is not touched.
      same = same && out[at] == (i < kColumns ? in[at] : -7.0F);
    }
  }
  CHECK(same);
}

void TestTransposed() {
  const auto in = Numbers<float>(kRows * kColumns, 6);
  Copier copier;
  copier.program().upload_in(stencilgen::View<const float>(in.data(), {1, kRows}));
  copier.program().run();
  std::vector<float> dense(in.size());
  copier.program().download_out(dense);
  std::vector<float> out(2 * in.size(), -7.0F);
  // Every second element.
  copier.program().download_out(stencilgen::View<float>(out.data(), {2 * kColumns, 2}));
  bool same = true;
  for (int j = 0; j < kRows; ++j) {
    for (int i = 0; i < kColumns; ++i) {
      const float value = in[static_cast<std::size_t>(i * kRows + j)];
      const auto at = static_cast<std::size_t>(j * kColumns + i);
      same = same && dense[at] == value && out[2 * at] == value && out[2 * at + 1] == -7.0F;
    }
  }
  CHECK(same);
}

void TestThreeDimensions() {
  const int l = 4, m = 5, n = 6;
  const int rows = m + 2, columns = n + 3;
  std::vector<double> padded = Numbers<double>(static_cast<std::size_t>(l * rows * columns), 7);
  std::vector<double> dense;
  for (int k = 0; k < l; ++k) {
    for (int j = 0; j < m; ++j) {
      const auto row = padded.begin() + (k * rows + j) * columns;
      dense.insert(dense.end(), row, row + n);
    }
  }
  heat3d_Program program{l, m, n, 2};
  program.set_alpha(0.1);
  program.upload_u(stencilgen::View<const double>(padded.data(), {rows * columns, columns, 1}));
  program.run();
  CHECK(heat3d(dense.data(), 0.1, l, m, n, 2) == 0);
  std::vector<double> result(dense.size());
  program.download_u(result);
  CHECK(result == dense);
  program.download_u(stencilgen::View<double>(padded.data(), {rows * columns, columns, 1}));
  bool same = true;
  for (int k = 0; k < l; ++k) {
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i < n; ++i) {
        same = same && padded[static_cast<std::size_t>((k * rows + j) * columns + i)] ==
                           dense[static_cast<std::size_t>((k * m + j) * n + i)];
      }
    }
  }
  CHECK(same);
}

/// One row, and one column: strides along a dimension of one point do not matter.
void TestThin() {
  const auto in = Numbers<float>(20, 8);
  std::vector<float> out(20);
  Copier row(1, 20);
  row.program().upload_in(stencilgen::View<const float>(in.data(), {0, 1}));
  row.program().run();
  row.program().download_out(out);
  CHECK(out == in);
  Copier column(20, 1);
  column.program().upload_in(stencilgen::View<const float>(in.data(), {1, 0}));
  column.program().run();
  column.program().download_out(stencilgen::View<float>(out.data(), {1, 77}));
  CHECK(out == in);
}

}  // namespace

void TestLayouts() {
  TestPitched();
  TestTransposed();
  TestThreeDimensions();
  TestThin();
#if __cplusplus >= 202002L
  const auto in = Numbers<float>(kRows * kColumns, 9);
  std::vector<float> out(in.size());
  Copier copier;
  copier.program().upload_in(std::span<const float>(in));
  copier.program().run();
  copier.program().download_out(std::span<float>(out));
  CHECK(out == in);
  CHECK_FAILS(copier.program().download_out(std::span<float>(out).first(3)), "the span has 3");
#endif
}
