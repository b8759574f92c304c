#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "graph/interpret_operator.h"
#include "graph/interpret_rows.h"

namespace stencilgen::graph {
namespace {

using AccessStep = RunAccess::Dimension;
using Places = std::array<const std::int32_t*, kMostDimensions>;

/// The position read at `x` under the mode; empty where there is none.
std::optional<std::int64_t> Mapped(std::int64_t x, const AccessStep& dimension) {
  const std::int64_t n = dimension.extent;
  if (0 <= x && x < n) return x;
  if (n <= 0) return std::nullopt;
  switch (dimension.boundary.kind) {
    case BoundaryKind::Clamp:
      return x < 0 ? 0 : n - 1;
    case BoundaryKind::Wrap:
      return ((x % n) + n) % n;
    case BoundaryKind::Mirror: {
      const std::int64_t period = 2 * n;
      const std::int64_t phase = ((x % period) + period) % period;
      return phase < n ? phase : period - 1 - phase;
    }
    case BoundaryKind::Mirror101: {
      if (n == 1) return 0;
      const std::int64_t period = 2 * (n - 1);
      const std::int64_t phase = ((x % period) + period) % period;
      return phase < n ? phase : period - phase;
    }
    case BoundaryKind::None:
    case BoundaryKind::Constant:
      break;
  }
  return std::nullopt;
}

struct AccessCompiler {
  const RunAccess& access;
  const Contents& contents;
  char* values;
  std::uint8_t* defined;
  bool all_defined = true;

  const char* Element(std::int64_t position) const {
    return static_cast<const char*>(contents.data()) + position * SizeOfElement();
  }
  std::int64_t SizeOfElement() const { return SizeInBytes(access.type); }

  void SetDefined(std::size_t k, std::uint8_t value) {
    defined[k] = value;
    all_defined = all_defined && value != 0;
  }

  void ReadElement(const Point& point, std::size_t k, const Places* places = nullptr) {
    std::int64_t position = 0;
    char* out = values + static_cast<std::int64_t>(k) * SizeOfElement();
    for (std::size_t d = 0; d < access.dimensions.size(); ++d) {
      const AccessStep& dimension = access.dimensions[d];
      const std::int32_t* row = places == nullptr ? nullptr : (*places)[d];
      const std::int64_t at = row == nullptr ? Position(dimension.index, point) : row[k];
      const std::optional<std::int64_t> x = Mapped(at, dimension);
      if (x) {
        position += *x * dimension.stride;
        continue;
      }
      const bool constant = dimension.boundary.kind == BoundaryKind::Constant;
      const double value = constant ? dimension.boundary.value : 0;
      ConvertRow(ScalarType::Double, &value, access.type, out, 1);
      return SetDefined(k, constant ? 1 : 0);
    }
    std::memcpy(out, Element(position), static_cast<std::size_t>(SizeOfElement()));
    SetDefined(k,
               contents.defined.empty() ? 1 : contents.defined[static_cast<std::size_t>(position)]);
  }

  void ReadElements(Point point, std::size_t begin, std::size_t end,
                    const Places* places = nullptr) {
    const std::int64_t first = point.empty() ? 0 : point.back();
    for (std::size_t k = begin; k < end; ++k) {
      if (!point.empty()) point.back() = first + static_cast<std::int64_t>(k);
      ReadElement(point, k, places);
    }
  }
};

/// The elements k of the row, begin <= k < end, that lie inside the dimension.
void Restrict(const AccessStep& dimension, std::int64_t first, std::int64_t& begin,
              std::int64_t& end) {
  const std::int64_t c = dimension.index.coefficient;
  const std::int64_t last = dimension.extent - 1;
  if (c > 0) {
    begin = std::max(begin, CeilDiv(-first, c));
    end = std::min(end, FloorDiv(last - first, c) + 1);
  } else {
    begin = std::max(begin, CeilDiv(first - last, -c));
    end = std::min(end, FloorDiv(first, -c) + 1);
  }
}

/// The elements of the row that lie inside the array in every dimension, possibly after mapping
/// those dimensions that the row does not walk.
struct InsideRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

InsideRange FindInside(const RunAccess& access, const Point& point, int row_axis,
                       std::size_t count) {
  InsideRange inside{0, static_cast<std::int64_t>(count)};
  for (const AccessStep& dimension : access.dimensions) {
    const std::int64_t x = Position(dimension.index, point);
    const std::int64_t c = dimension.index.coefficient;
    // Element by element nothing overflows, however far the access is.
    constexpr std::int64_t kFar = std::int64_t{1} << 62;
    if (x < -kFar || x > kFar || c < -kFar || c > kFar) return {};
    if (row_axis >= 0 && dimension.index.axis == row_axis) {
      Restrict(dimension, x, inside.begin, inside.end);
    } else if (!Mapped(x, dimension)) {
      return {};
    }
  }
  return inside;
}

/// Where element `k` of the row lies. Requires: it is inside.
std::int64_t ElementPosition(const RunAccess& access, Point point, std::int64_t k) {
  if (!point.empty()) point.back() += k;
  std::int64_t position = 0;
  for (const AccessStep& dimension : access.dimensions) {
    position += *Mapped(Position(dimension.index, point), dimension) * dimension.stride;
  }
  return position;
}

}  // namespace

std::int64_t Position(const RunIndex& index, const Point& point) {
  if (index.axis < 0) return index.offset;
  // Coefficients and offsets are the user's: an absurd one must not overflow.
  std::int64_t product = 0;
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(index.coefficient, point[static_cast<std::size_t>(index.axis)],
                             &product) ||
      __builtin_add_overflow(product, index.offset, &sum)) {
    return std::numeric_limits<std::int64_t>::min();
  }
  return sum;
}

RowView ReadPlaces(const RunAccess& access, const Contents& contents, const Point& point,
                   std::size_t count,
                   const std::array<const std::int32_t*, kMostDimensions>& places, void* values,
                   std::uint8_t* defined) {
  AccessCompiler reader{access, contents, static_cast<char*>(values), defined};
  reader.ReadElements(point, 0, count, &places);
  return {values, reader.all_defined ? nullptr : defined};
}

RowView ReadRow(const RunAccess& access, const Contents& contents, const Point& point,
                std::size_t count, void* values, std::uint8_t* defined) {
  AccessCompiler reader{access, contents, static_cast<char*>(values), defined};
  const int row_axis = static_cast<int>(point.size) - 1;
  const auto [begin, end] = FindInside(access, point, row_axis, count);
  if (begin >= end) {
    reader.ReadElements(point, 0, count);
    return {values, reader.all_defined ? nullptr : defined};
  }
  const std::int64_t position = ElementPosition(access, point, begin);
  // A step is needed, and cannot overflow, where two elements are inside.
  const std::int64_t step =
      end - begin > 1 ? ElementPosition(access, point, begin + 1) - position : 1;
  const auto inside_count = static_cast<std::size_t>(end - begin);
  const std::uint8_t* mask =
      contents.defined.empty() ? nullptr : contents.defined.data() + position;
  if (inside_count == count && step == 1) {
    if (mask != nullptr && std::memchr(mask, 0, count) == nullptr) mask = nullptr;
    return {reader.Element(position), mask};
  }
  reader.ReadElements(point, 0, static_cast<std::size_t>(begin));
  GatherRow(access.type, reader.Element(position), step,
            reader.values + begin * reader.SizeOfElement(), inside_count);
  if (mask != nullptr) {
    GatherRow(ScalarType::Bool, mask, step, defined + begin, inside_count);
    if (std::memchr(defined + begin, 0, inside_count) != nullptr) reader.all_defined = false;
  } else {
    std::memset(defined + begin, 1, inside_count);
  }
  reader.ReadElements(point, static_cast<std::size_t>(end), count);
  return {values, reader.all_defined ? nullptr : defined};
}

}  // namespace stencilgen::graph
