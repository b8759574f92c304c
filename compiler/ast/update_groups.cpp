#include "ast/update_groups.h"

#include <algorithm>
#include <map>

namespace stencilgen::ast {
namespace {

/// A group that later updates may join.
struct OpenGroup {
  std::size_t first = 0;
  int group = -1;  ///< -1 until a second member joins
};

}  // namespace

std::vector<int> FindUpdateGroups(const std::vector<GroupMember>& statements,
                                  const std::function<bool(std::size_t, std::size_t)>& joins) {
  std::vector<int> group_of(statements.size(), -1);
  std::map<std::uint32_t, std::vector<OpenGroup>> open;
  int next_group = 0;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const GroupMember& statement = statements[i];
    std::vector<OpenGroup>& groups = open[statement.target];
    if (!statement.update) groups.clear();
    if (statement.with_previous) {
      group_of[i] = group_of[i - 1];
      groups.push_back({i, group_of[i]});
      continue;
    }
    const auto joined = std::find_if(groups.begin(), groups.end(),
                                     [&](const OpenGroup& each) { return joins(i, each.first); });
    if (joined == groups.end()) {
      if (statement.with_next) group_of[i] = next_group++;
      groups.push_back({i, group_of[i]});
      continue;
    }
    if (joined->group < 0) group_of[joined->first] = joined->group = next_group++;
    group_of[i] = joined->group;
  }
  return group_of;
}

}  // namespace stencilgen::ast
