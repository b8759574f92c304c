#include "tools/explain/html_page.h"

#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "support/text_template.h"
#include "tools/explain/embedded_page.h"
#include "tools/explain/report.h"

namespace stencilgen::driver {
namespace {

/// JSON for a `script` element, which `</script>` and `<!--` in a string would end or confuse: in
/// JSON `<` is in strings alone.
std::string ForScript(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Script() {
  // In the order in which they need each other.
  constexpr std::array<std::string_view, 11> kFiles = {
      "page/elements.js", "page/numbers.js", "page/graph.js", "page/roofline.js",
      "page/tile.js",     "page/stream.js",  "page/nest.js",  "page/bands.js",
      "page/panel.js",    "page/kernels.js", "page/page.js"};
  std::string script;
  for (const std::string_view file : kFiles) script += PageFile(file);
  return script;
}

}  // namespace

std::string HtmlPage(const nlohmann::ordered_json& report) {
  // The name is an identifier of C: nothing in it needs an escape.
  return FillTemplate(PageFile("page/page.html"),
                      {{"title", report["name"].get<std::string>()},
                       {"style", std::string(PageFile("page/style.css"))},
                       {"script", Script()},
                       {"report", ForScript(ReportText(report))}});
}

}  // namespace stencilgen::driver
