#ifndef STENCILGEN_PROGRESS_HPP
#define STENCILGEN_PROGRESS_HPP

/// Messages that go on while a rank computes.
namespace stencilgen {

/// What is on its way.
class Pending {
 public:
  virtual ~Pending() = default;
  /// Lets it go on; false where it has arrived.
  virtual bool GoOn() = 0;
};

/// What the thread waits for while it computes; null: nothing. Threads that share its loops have
/// nothing to wait for, so that MPI is called by the thread that began the messages.
inline Pending*& PendingOfThread() {
  static thread_local Pending* pending = nullptr;
  return pending;
}

/// Called by loops now and then.
inline void MakeProgress() {
  Pending*& pending = PendingOfThread();
  if (pending != nullptr && !pending->GoOn()) pending = nullptr;
}

}  // namespace stencilgen

#endif  // STENCILGEN_PROGRESS_HPP
