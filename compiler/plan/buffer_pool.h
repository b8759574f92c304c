#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "plan/names.h"
#include "plan/plan.h"

namespace stencilgen::plan {

/// The buffers of a plan in the making: which version each holds, which are free, and what the
/// free ones still contain.
class BufferPool {
 public:
  BufferPool(const graph::Graph& graph, Store<BufferId, Buffer>& buffers, NameTable& names);

  /// Creates the home of a program-level array, holding `initial`. A home that is not `reusable`
  /// never becomes scratch.
  BufferId AddHome(graph::ArrayId array, graph::VersionId initial, bool reusable);

  /// A buffer for a version of `array`: its home where that is free, else any free one of its
  /// shape, else new scratch; new scratch for who wants memory of its own. Requires: Hold is called
  /// before the next Take.
  BufferId Take(graph::ArrayId array);
  /// Takes this buffer, which is free.
  void TakeThis(BufferId buffer);
  /// From now on the buffer holds the whole of `version`.
  void Hold(BufferId buffer, graph::VersionId version);
  /// The buffer's memory is written by other means or exchanged: nothing is known of it.
  void Forget(BufferId buffer);
  /// The buffer is free, unless it has come to hold another version than `version`.
  void Release(BufferId buffer, graph::VersionId version);
  void Release(BufferId buffer);
  /// The home is free because nobody needs what it holds at first. An output's waits for its own
  /// array, so that the result need not be moved there.
  void ReleaseUnused(BufferId home);

  /// Sets the buffer aside for a chain of versions: Take does not give it out.
  void Pin(BufferId buffer, int chain) { states_[buffer.index].chain = chain; }
  void Unpin(BufferId buffer) { states_[buffer.index].chain = -1; }
  /// The chain the buffer is set aside for, -1 where there is none.
  int ChainOf(BufferId buffer) const { return states_[buffer.index].chain; }
  /// True where no version that anyone needs is in the buffer.
  bool IsVacant(BufferId buffer) const { return !states_[buffer.index].held.Valid(); }

  bool IsFree(BufferId buffer) const { return states_[buffer.index].free; }
  /// True where the buffer still contains the whole of `version`, dead or alive.
  bool Contains(BufferId buffer, graph::VersionId version) const;

  /// Loops begin and end here: what free buffers contain is no longer known.
  void NextEpoch() { ++epoch_; }

 private:
  struct State {
    graph::VersionId held;      ///< invalid where nothing is held
    graph::VersionId contents;  ///< what it contained last
    int epoch = 0;              ///< when that was
    int shape = 0;
    int chain = -1;
    bool reusable = true;
    bool own_only = false;  ///< free for its own array alone
    bool free = false;
  };
  int ShapeOf(graph::ArrayId array);
  BufferId Add(std::string name, graph::ArrayId array, graph::ArrayId home);

  const graph::Graph& graph_;
  Store<BufferId, Buffer>& buffers_;
  NameTable& names_;
  std::vector<State> states_;             ///< by buffer
  std::vector<BufferId> home_of_;         ///< by array
  std::vector<int> shape_of_;             ///< by array, -1 where not yet known
  std::map<std::string, int> shapes_;     ///< numbers of (type, extents)
  std::vector<std::set<BufferId>> free_;  ///< by shape
  int epoch_ = 0;
};

}  // namespace stencilgen::plan
