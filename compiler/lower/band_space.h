#pragma once

#include <string>
#include <vector>

#include "lower/program_model.h"
#include "plan/time_band.h"

namespace stencilgen::lower {

/// The places along the iterators of a band's launches as code.
class BandSpace {
 public:
  /// Requires: the loop has a band.
  BandSpace(const ProgramModel& model, const plan::Repeat& repeat);

  /// A launch that has all iterators, and they.
  plan::KernelId lead() const { return lead_; }
  const std::vector<int>& Iterators() const { return model_.OperatorOf(lead_).iterators; }
  std::size_t Rank() const { return Iterators().size(); }
  std::string IteratorName(std::size_t n) const;
  /// Where a launch stands that does not walk all iterators.
  const plan::BandPlaces& PlacesOf(plan::KernelId id) const { return shape_.places.at(id); }

  /// Arrays wrap around along the n-th iterator.
  bool GoesAround(std::size_t n) const { return n < 2 && shape_.around[n]; }
  /// How arrays wrap around, as comments; none where none does.
  std::vector<std::string> WrapComments() const;

  /// The first and the last place of a launch along the n-th iterator, and how many there are.
  kernel::Expr LoOf(plan::KernelId id, std::size_t n) const;
  kernel::Expr HiOf(plan::KernelId id, std::size_t n) const;
  kernel::Expr Length(plan::KernelId id, std::size_t n) const;
  /// The first and the last of any launch, and how many lie between them; of what wraps around its
  /// extent.
  kernel::Expr FirstOf(std::size_t n) const;
  kernel::Expr LastOf(std::size_t n) const;
  kernel::Expr Places(std::size_t n) const;

  /// Ends of a tile along an iterator: the largest of some, the least of others.
  struct Ends {
    std::vector<kernel::Expr> lows, highs;
  };

  /// What launch m must compute along the n-th iterator in a turn that so many follow; no ends
  /// where that is all.
  Ends WantedEnds(std::size_t m, std::size_t n, const kernel::Expr& turns_left) const;

  /// True where the places depend on the parameter.
  bool Uses(graph::ParameterId id) const;

 private:
  kernel::Expr Form(const graph::LinearForm& form) const { return model_.Form(form); }
  const graph::Interval& IntervalOf(plan::KernelId id, std::size_t n) const;

  const ProgramModel& model_;
  const plan::TimeBand& band_;
  plan::KernelId lead_;
  plan::BandShape shape_;
};

}  // namespace stencilgen::lower
