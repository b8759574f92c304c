// Waves in a basin: an application with a stencil program inside. Everything but the block after
// `#pragma dsl begin` is plain C++.
//
//   wave PICTURE.png [STEPS [ROWS COLUMNS]]   a drop falls into a basin with a shoal; a picture
//   wave --check                              a standing wave against its exact solution
//
// Without CMake, in this folder:
//   stencilgen wave.cpp --target cpp -o wave.gen.cpp
//   g++ -std=c++17 -O3 -fopenmp wave.gen.cpp -o wave -lpng
// or for a GPU:
//   stencilgen wave.cpp -o wave.gen.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 wave.gen.cu -o wave -lpng
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <png.h>

namespace {

/// The surface of the water at two moments, one step apart. The edges of the basin stay at rest.
class Basin {
 public:
  Basin(int rows, int columns)
      : rows_(rows), columns_(columns), now_(Count()), before_(Count()), speed2_(Count(), 0.4) {}

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  double& now(int j, int i) { return now_[Index(j, i)]; }
  double& before(int j, int i) { return before_[Index(j, i)]; }
  /// The square of the speed of waves, in cells a step; stable up to 0.5.
  double& speed2(int j, int i) { return speed2_[Index(j, i)]; }

  /// Advances by some time steps of the leapfrog scheme; each takes away a part of the motion.
  void Advance(int steps, double damping) {
    const int rows = rows_, columns = columns_;
#pragma dsl begin
    parameter rows, columns, steps;
    iterator j, i;
    double now_[rows,columns], before_[rows,columns], speed2_[rows,columns], damping;
    copyin now_, before_, speed2_, damping;

    stencil leapfrog (before, now, speed2, damping) {
      double keep = 1.0 - damping;
      double curvature = now[j-1][i] + now[j+1][i] + now[j][i-1] + now[j][i+1] - 4.0*now[j][i];
      before[j][i] = (1.0 + keep)*now[j][i] - keep*before[j][i] + speed2[j][i]*curvature;
    }
    iterate steps {
      leapfrog (before_, now_, speed2_, damping);
      swap now_, before_;
    }

    copyout now_, before_;
#pragma dsl end
  }

 private:
  std::size_t Count() const { return Index(rows_, 0); }
  std::size_t Index(int j, int i) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(i);
  }

  int rows_, columns_;
  std::vector<double> now_, before_, speed2_;
};

/// Blue where the water is low, white at rest, red where it is high.
bool WritePicture(Basin& basin, const std::string& path) {
  std::vector<std::uint8_t> pixels;
  for (int j = 0; j < basin.rows(); ++j) {
    for (int i = 0; i < basin.columns(); ++i) {
      const double height = std::fmax(-1.0, std::fmin(1.0, 8.0 * basin.now(j, i)));
      const auto rest = static_cast<std::uint8_t>(std::lround(255 * (1 - std::fabs(height))));
      const std::uint8_t red = height > 0 ? 255 : rest, blue = height < 0 ? 255 : rest;
      pixels.insert(pixels.end(), {red, rest, blue});
    }
  }
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(basin.columns());
  image.height = static_cast<png_uint_32>(basin.rows());
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr) != 0;
}

int Drop(const std::string& path, int steps, int rows, int columns) {
  Basin basin(rows, columns);
  for (int j = 1; j < rows - 1; ++j) {
    for (int i = 1; i < columns - 1; ++i) {
      const double y = double(j) / rows, x = double(i) / columns;
      // The water is shallow, and waves are slow, towards the right.
      basin.speed2(j, i) = 0.4 - 0.3 * x * x;
      const double distance2 = (y - 0.4) * (y - 0.4) + (x - 0.35) * (x - 0.35);
      basin.now(j, i) = basin.before(j, i) = std::exp(-distance2 / 0.0008);
    }
  }
  basin.Advance(steps, 0.0005);
  if (!WritePicture(basin, path)) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    return 1;
  }
  double sum = 0;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) sum += basin.now(j, i) * basin.now(j, i);
  }
  std::printf("%s: %d x %d points after %d steps, root mean square %.9f\n", path.c_str(), rows,
              columns, steps, std::sqrt(sum / rows / columns));
  return 0;
}

/// A standing wave of a basin of even depth keeps its form; the scheme turns it by a known angle a
/// step.
int Check() {
  const int rows = 45, columns = 70, steps = 101;
  const double pi = std::acos(-1.0), speed2 = 0.3;
  const double ky = 2 * pi / (rows - 1), kx = 3 * pi / (columns - 1);
  const double angle = std::acos(1 - speed2 * (2 - std::cos(ky) - std::cos(kx)));
  Basin basin(rows, columns);
  const auto mode = [&](int j, int i) { return std::sin(ky * j) * std::sin(kx * i); };
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const bool edge = j == 0 || j == rows - 1 || i == 0 || i == columns - 1;
      basin.speed2(j, i) = speed2;
      basin.now(j, i) = edge ? 0 : mode(j, i);
      basin.before(j, i) = edge ? 0 : mode(j, i) * std::cos(angle);
    }
  }
  basin.Advance(steps, 0.0);
  double error = 0;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      error = std::fmax(error, std::fabs(basin.now(j, i) - mode(j, i) * std::cos(angle * steps)));
    }
  }
  std::printf("largest error after %d steps: %s\n", steps, error < 1e-11 ? "none" : "wrong");
  return error < 1e-11 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string(argv[1]) == "--check") return Check();
    if (argc != 2 && argc != 3 && argc != 5) {
      std::fprintf(stderr, "usage: wave PICTURE.png [STEPS [ROWS COLUMNS]], or wave --check\n");
      return 2;
    }
    const int steps = argc > 2 ? std::atoi(argv[2]) : 400;
    const int rows = argc > 4 ? std::atoi(argv[3]) : 300;
    const int columns = argc > 4 ? std::atoi(argv[4]) : 500;
    if (steps < 1 || rows < 3 || columns < 3 || rows > 10000 || columns > 10000) {
      std::fprintf(stderr, "wave: at least 1 step, and from 3 to 10000 rows and columns\n");
      return 2;
    }
    return Drop(argv[1], steps, rows, columns);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wave: %s\n", error.what());
    return 1;
  }
}
