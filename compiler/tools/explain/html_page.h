#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace stencilgen::driver {

/// A report as one page of HTML that needs nothing else: the report itself, and the script of
/// page/ that draws it. Requires: it comes from MakeReport.
std::string HtmlPage(const nlohmann::ordered_json& report);

}  // namespace stencilgen::driver
