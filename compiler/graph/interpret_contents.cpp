#include "graph/interpret_contents.h"

#include <cstring>

#include "support/check.h"
#include "support/match.h"

namespace stencilgen::graph {
namespace {

/// Elements of one array, as bytes.
struct OutsideCopy {
  const char* from;
  char* to;
  std::size_t element;
  const Shape& shape;
  const std::vector<Range>& box;

  void Elements(std::int64_t begin, std::int64_t end) const {
    if (begin >= end) return;
    const std::size_t first = static_cast<std::size_t>(begin) * element;
    std::memcpy(to + first, from + first, static_cast<std::size_t>(end - begin) * element);
  }

  /// What lies at `start` in the dimensions before `d`.
  void From(std::size_t d, std::int64_t start) const {
    const std::int64_t stride = shape.strides[d];
    Elements(start, start + box[d].lo * stride);
    Elements(start + (box[d].hi + 1) * stride, start + shape.extents[d] * stride);
    if (d + 1 == box.size()) return;
    for (std::int64_t x = box[d].lo; x <= box[d].hi; ++x) From(d + 1, start + x * stride);
  }
};

std::size_t ElementSize(const Values& values) {
  return Match(values, [](const auto& elements) { return sizeof(elements[0]); });
}

}  // namespace

void* Contents::data() {
  return Match(values, [](auto& elements) { return static_cast<void*>(elements.data()); });
}

const void* Contents::data() const {
  return Match(values,
               [](const auto& elements) { return static_cast<const void*>(elements.data()); });
}

void CopyOutside(const Contents& from, const Shape& shape, const std::vector<Range>& box,
                 Contents& to) {
  STENCILGEN_CHECK(SizeOf(from.values) == SizeOf(to.values));
  if (box.empty()) {
    to = from;
    return;
  }
  OutsideCopy{static_cast<const char*>(from.data()), static_cast<char*>(to.data()),
              ElementSize(from.values), shape, box}
      .From(0, 0);
  to.defined.resize(from.defined.size());
  if (from.defined.empty()) return;
  OutsideCopy{reinterpret_cast<const char*>(from.defined.data()),
              reinterpret_cast<char*>(to.defined.data()), 1, shape, box}
      .From(0, 0);
}

ContentsPtr SpareContents::Take(const Contents& like) {
  ContentsPtr& spare = spare_[{like.values.index(), SizeOf(like.values)}];
  if (spare != nullptr) return std::exchange(spare, nullptr);
  auto contents = std::make_shared<Contents>();
  Match(like.values, [&](const auto& elements) {
    contents->values = std::decay_t<decltype(elements)>(elements.size());
  });
  return contents;
}

void SpareContents::Release(ContentsPtr contents) {
  if (contents == nullptr || contents.use_count() > 1) return;
  ContentsPtr& spare = spare_[{contents->values.index(), SizeOf(contents->values)}];
  spare = std::move(contents);
}

}  // namespace stencilgen::graph
