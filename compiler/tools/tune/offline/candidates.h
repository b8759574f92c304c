#pragma once

#include <vector>

#include "tools/measure/visits.h"
#include "tools/tune/offline/plan.h"

namespace stencilgen::measure {

/// One call for: a check of the candidate's results, or some calls whose median time counts.
struct Request {
  int candidate = 0;
  bool check = false;
  std::vector<int> parameters = {};
  int warmups = 0, repeats = 0;
  double limit = 120;  ///< seconds
};

/// Carries out all requests, in processes of their own. One result a request.
std::vector<Visit> Carry(const Plan& plan, const std::vector<Request>& requests);

}  // namespace stencilgen::measure
