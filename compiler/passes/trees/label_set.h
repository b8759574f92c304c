#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stencilgen::passes {

/// A set of labels 0 .. size-1. Sets of one forest have one size.
class LabelSet {
 public:
  LabelSet() = default;
  explicit LabelSet(int size) : words_((static_cast<std::size_t>(size) + 63) / 64) {}

  void Insert(int label) { words_[Word(label)] |= Bit(label); }
  bool Contains(int label) const { return (words_[Word(label)] & Bit(label)) != 0; }
  int Count() const {
    int count = 0;
    for (const std::uint64_t word : words_) count += std::popcount(word);
    return count;
  }
  /// The number of labels in this set and not in `other`.
  int CountWithout(const LabelSet& other) const {
    int count = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      count += std::popcount(words_[w] & ~other.words_[w]);
    }
    return count;
  }
  int CountCommon(const LabelSet& other) const {
    int count = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      count += std::popcount(words_[w] & other.words_[w]);
    }
    return count;
  }
  bool Intersects(const LabelSet& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if ((words_[w] & other.words_[w]) != 0) return true;
    }
    return false;
  }
  /// True where `other` has all labels of this set.
  bool IsSubsetOf(const LabelSet& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if ((words_[w] & ~other.words_[w]) != 0) return false;
    }
    return true;
  }
  LabelSet& operator|=(const LabelSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  LabelSet& operator&=(const LabelSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    return *this;
  }
  LabelSet& operator-=(const LabelSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
    return *this;
  }
  friend LabelSet operator|(LabelSet a, const LabelSet& b) { return a |= b; }
  friend LabelSet operator&(LabelSet a, const LabelSet& b) { return a &= b; }
  friend LabelSet operator-(LabelSet a, const LabelSet& b) { return a -= b; }
  friend bool operator==(const LabelSet&, const LabelSet&) = default;

  /// Calls `function(label)` for each, ascending.
  template <typename Function>
  void ForEach(const Function& function) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
        function(static_cast<int>(64 * w) + std::countr_zero(left));
      }
    }
  }

  /// Mixes the labels into `seed`.
  std::size_t Hash(std::size_t seed) const {
    for (const std::uint64_t word : words_) {
      seed = (seed ^ static_cast<std::size_t>(word)) * 0x9e3779b97f4a7c15ULL;
      seed ^= seed >> 29;
    }
    return seed;
  }

 private:
  static std::size_t Word(int label) { return static_cast<std::size_t>(label) / 64; }
  static std::uint64_t Bit(int label) { return std::uint64_t{1} << (label % 64); }
  std::vector<std::uint64_t> words_;
};

}  // namespace stencilgen::passes
