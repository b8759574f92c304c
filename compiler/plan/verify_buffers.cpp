#include "plan/verify_buffers.h"

#include <set>

#include <fmt/format.h>

namespace stencilgen::plan {

void CheckNames(const Plan& plan, std::vector<std::string>& problems) {
  std::set<std::string> names;
  const auto check = [&](const std::string& name) {
    if (!names.insert(name).second) problems.emplace_back(fmt::format("two things named {}", name));
  };
  for (const Buffer& buffer : plan.buffers) check(buffer.name);
  for (const Kernel& kernel : plan.kernels) check(kernel.name);
  for (const auto& scalar : plan.scalars) check(scalar.first);
}

void CheckRotations(const Plan& plan, const std::vector<Step>& steps,
                    std::vector<std::string>& problems) {
  for (const Step& step : steps) {
    const auto* repeat = std::get_if<Repeat>(&step);
    if (repeat == nullptr) continue;
    std::set<BufferId> to;
    std::set<BufferId> from;
    for (const auto& [first, second] : repeat->rotation) {
      to.insert(first);
      from.insert(second);
      const Buffer& a = plan.buffers[first];
      const Buffer& b = plan.buffers[second];
      if (!SameElements(a, b) || a.extents != b.extents) {
        problems.push_back(fmt::format("{} and {} rotate but differ in shape", a.name, b.name));
      }
    }
    if (to != from || to.size() != repeat->rotation.size()) {
      problems.emplace_back("a rotation is no permutation");
    }
    CheckRotations(plan, repeat->body, problems);
  }
}

}  // namespace stencilgen::plan
