#include "common/man_text.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <vector>

namespace cursor_apps {

std::string Roff(std::string_view text) {
  std::string escaped = absl::StrReplaceAll(std::string(text), {{"\\", "\\e"}, {"-", "\\-"}});
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped = "\\&" + escaped;
  return escaped;
}

std::string RoffBold(std::string_view text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string RoffItalic(std::string_view text) { return "\\fI" + Roff(text) + "\\fR"; }

std::string RoffTitle(std::string_view program, std::string_view version,
                      std::string_view description) {
  return absl::StrCat(".TH ", Roff(absl::AsciiStrToUpper(std::string(program))),
                      R"( 1 "" "cursorwire )", std::string(version), "\"\n.SH NAME\n",
                      Roff(program), R"( \- )", Roff(description), "\n");
}

std::string RoffOption(const OptionInfo& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(RoffBold(name));
  std::string text = ".TP\n" + absl::StrJoin(names, ", ");
  if (!option.type.empty()) text += " " + RoffItalic(option.type);
  return text + "\n" + Roff(option.description) + "\n";
}

std::string RoffParagraphs(std::string_view text) {
  std::string page;
  bool in_example = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const bool is_example = line.starts_with("  ");
    if (is_example != in_example) page += is_example ? ".EX\n" : ".EE\n";
    in_example = is_example;
    if (line.empty()) {
      page += ".PP\n";
    } else {
      page += Roff(line) + "\n";
    }
  }
  return page + (in_example ? ".EE\n" : "");
}

}  // namespace cursor_apps
