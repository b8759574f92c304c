// Some benchmarks in Halide, measured beside ours where Halide is installed. One step is a pipeline
// with a schedule as its users write one: rows in vectors, tiles of rows in parallel, two rows at a
// time. Steps go from one buffer to the other and back, as in plain code.
#include <array>
#include <cstring>
#include <vector>

#include <Halide.h>

namespace {

using Halide::Buffer;
using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::ImageParam;
using Halide::Var;

/// A step on points that have all their neighbours, of arrays of so many dimensions.
template <typename T, int rank>
class Step {
 public:
  using Body = Expr (*)(ImageParam&, const std::array<Var, 3>&);

  explicit Step(Body body) : input_(Halide::type_of<T>(), rank) {
    const std::array<Var, 3> at = {Var("x"), Var("y"), Var("z")};
    if (rank == 2) {
      step_(at[0], at[1]) = cast<T>(body(input_, at));
    } else {
      step_(at[0], at[1], at[2]) = cast<T>(body(input_, at));
    }
    const int lanes = Halide::get_jit_target_from_environment().natural_vector_size<T>();
    Var outer("outer"), inner("inner");
    if (rank == 2) {
      step_.split(at[1], outer, inner, 32).parallel(outer);
      step_.unroll(inner, 2);
    } else {
      step_.parallel(at[2]);
      step_.unroll(at[1], 2);
    }
    step_.vectorize(at[0], 2 * lanes);
    step_.compile_jit();
  }

  /// `extents`: outermost first.
  void Run(T* array, const std::vector<int>& extents, int steps) {
    const std::vector<int> sizes(extents.rbegin(), extents.rend());
    std::size_t count = 1;
    for (const int size : sizes) count *= static_cast<std::size_t>(size);
    for (const int size : sizes) {
      if (size < 3) return;
    }
    std::vector<T> second(array, array + count);
    T* from = array;
    T* to = second.data();
    for (int n = 0; n < steps; ++n) {
      input_.set(Buffer<T>(from, sizes));
      Buffer<T> output(to, sizes);
      for (int d = 0; d < rank; ++d) output.crop(d, 1, sizes[static_cast<std::size_t>(d)] - 2);
      step_.realize(output);
      std::swap(from, to);
    }
    if (from != array) std::memcpy(array, from, count * sizeof(T));
  }

 private:
  ImageParam input_;
  Func step_;
};

Expr J2d5pt(ImageParam& u, const std::array<Var, 3>& at) {
  const auto& [x, y, z] = at;
  const Halide::Type t = u.type();
  const auto c = [&](double value) { return Halide::cast(t, Expr(value)); };
  return (c(5) * u(x, y - 1) + c(12) * u(x - 1, y) + c(15) * u(x, y) + c(12) * u(x + 1, y) +
          c(5) * u(x, y + 1)) *
         c(1.0 / 118);
}

Expr J3d7pt(ImageParam& u, const std::array<Var, 3>& at) {
  const auto& [x, y, z] = at;
  const Halide::Type t = u.type();
  const auto c = [&](double value) { return Halide::cast(t, Expr(value)); };
  return c(0.161) * u(x + 1, y, z) + c(0.162) * u(x - 1, y, z) + c(0.163) * u(x, y + 1, z) +
         c(0.164) * u(x, y - 1, z) + c(0.165) * u(x, y, z + 1) + c(0.166) * u(x, y, z - 1) -
         c(1.67) * u(x, y, z);
}

Expr Heat(ImageParam& u, const std::array<Var, 3>& at) {
  const auto& [x, y, z] = at;
  const Halide::Type t = u.type();
  const auto c = [&](double value) { return Halide::cast(t, Expr(value)); };
  return u(x, y, z) + c(0.125) * (u(x + 1, y, z) - c(2) * u(x, y, z) + u(x - 1, y, z) +
                                  u(x, y + 1, z) - c(2) * u(x, y, z) + u(x, y - 1, z) +
                                  u(x, y, z + 1) - c(2) * u(x, y, z) + u(x, y, z - 1));
}

template <typename T, int rank>
int Call(typename Step<T, rank>::Body body, void* const* arrays, const int* parameters) {
  static std::vector<std::pair<typename Step<T, rank>::Body, Step<T, rank>>> steps;
  for (auto& [known, step] : steps) {
    if (known != body) continue;
    step.Run(static_cast<T*>(arrays[0]), {parameters, parameters + rank}, parameters[rank]);
    return 0;
  }
  steps.emplace_back(body, Step<T, rank>(body));
  return Call<T, rank>(body, arrays, parameters);
}

}  // namespace

#define PROGRAM(name, type, rank, body)                                               \
  extern "C" int name##_##type##_halide_call(void* const* arrays, const void* const*, \
                                             const int* parameters) {                 \
    return Call<type, rank>(body, arrays, parameters);                                \
  }                                                                                   \
  extern "C" const char* name##_##type##_halide_error() {                             \
    return "Halide fails";                                                            \
  }

PROGRAM(j2d5pt, float, 2, J2d5pt)
PROGRAM(j2d5pt, double, 2, J2d5pt)
PROGRAM(j3d7pt, float, 3, J3d7pt)
PROGRAM(j3d7pt, double, 3, J3d7pt)
PROGRAM(heat, float, 3, Heat)
PROGRAM(heat, double, 3, Heat)
