#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace stencilgen {

/// Typed index into a Store. Ids of different entities do not mix.
template <typename Tag>
struct Id {
  static constexpr std::uint32_t kInvalid = 0xffffffffU;
  std::uint32_t index = kInvalid;

  bool Valid() const { return index != kInvalid; }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
  friend constexpr auto operator<=>(Id, Id) = default;
};

/// A vector indexed by a typed id. A reference into a store dies on Add.
template <typename IdT, typename T>
class Store {
 public:
  IdT Add(T value) {
    items_.push_back(std::move(value));
    return IdT{static_cast<std::uint32_t>(items_.size() - 1)};
  }
  T& operator[](IdT id) { return items_[id.index]; }
  const T& operator[](IdT id) const { return items_[id.index]; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool Contains(IdT id) const { return id.index < items_.size(); }
  /// All ids, in order of creation.
  std::vector<IdT> Ids() const {
    std::vector<IdT> ids;
    ids.reserve(items_.size());
    for (std::uint32_t i = 0; i < items_.size(); ++i) ids.push_back(IdT{i});
    return ids;
  }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace stencilgen

template <typename Tag>
struct std::hash<stencilgen::Id<Tag>> {
  std::size_t operator()(stencilgen::Id<Tag> id) const noexcept { return id.index; }
};
