#pragma once

namespace stencilgen::measure {

/// What other processes do to the machine's processors from its construction on.
class OtherLoad {
 public:
  OtherLoad();

  /// How many processors they have kept busy since then, on average; 0 where the system does not
  /// tell.
  double Processors() const;

 private:
  struct Times {
    double wall = 0;  ///< seconds
    double busy = 0;  ///< of all processors together; below 0: not known
    double own = 0;   ///< of this process
  };
  static Times Now();

  Times start_;
};

}  // namespace stencilgen::measure
