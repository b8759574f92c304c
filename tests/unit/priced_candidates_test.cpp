// What several choices for one program have in common is priced once.
#include "driver/priced_candidates.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "choose_schedule_tools.h"
#include "plan/print.h"
#include "support/catch.h"

namespace stencilgen {
namespace {

using driver::ChosenPlan;

TEST_CASE("who chooses several times prices what is common once, and chooses the same") {
  const std::vector<std::vector<std::string>> given = {{},
                                                       {"--shared-mem", "true"},
                                                       {"--time-tile", "2"},
                                                       {"--fusion", "greedy"},
                                                       {"--stream", "j"},
                                                       {"--time-tile", "2"},
                                                       {"--split", "2"}};
  for (const char* name : {"j2d5pt", "gradient"}) {
    const auto priced = std::make_shared<driver::PricedCandidates>();
    for (const std::vector<std::string>& arguments : given) {
      INFO(name << fmt::format(" {}", fmt::join(arguments, " ")));
      const std::size_t before = priced->size();
      const ChosenPlan shared = Choose(TextOf(name), arguments, priced);
      const ChosenPlan alone = Choose(TextOf(name), arguments);
      CHECK(plan::Print(shared.plan) == plan::Print(alone.plan));
      CHECK(shared.chosen.seconds == alone.chosen.seconds);
      CHECK(shared.chosen.launches == alone.chosen.launches);
      CHECK(shared.tried == alone.tried);
      CHECK(shared.ranked.size() == alone.ranked.size());
      // A subset of what the first choice had, or the same choice again.
      const bool known = arguments == given[1] || &arguments == &given[5];
      CHECK((priced->size() == before) == known);
    }
  }
}

}  // namespace
}  // namespace stencilgen
