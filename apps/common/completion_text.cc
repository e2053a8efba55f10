#include "common/completion_text.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

namespace cursor_apps {

std::vector<std::string> OptionNames(const std::vector<OptionInfo>& options) {
  std::vector<std::string> names;
  for (const OptionInfo& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> NamesWithValue(const std::vector<OptionInfo>& options) {
  std::vector<std::string> names;
  for (const OptionInfo& option : options) {
    if (!option.type.empty()) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::string BashOffer(std::string_view words) {
  return absl::StrCat("COMPREPLY=($(compgen -W '", std::string(words), "' -- \"$word\"))");
}

std::string BashValueCase(std::string_view pattern, const OptionInfo& option) {
  if (option.type.empty()) return "";
  std::string offer;
  if (!option.choices().empty()) {
    offer = BashOffer(absl::StrJoin(option.choices(), " ")) + "; ";
  } else if (option.takes_file()) {
    offer = "compopt -o default; ";
  }
  return absl::StrCat("    ", std::string(pattern), ") ", offer, "return ;;\n");
}

std::vector<std::string> ZshOptionSpecs(const OptionInfo& option) {
  const std::string description = QuotedForShell(
      absl::StrReplaceAll(option.description, {{"[", "\\["}, {"]", "\\]"}, {":", "\\:"}}));
  std::vector<std::string> specs;
  for (const std::string& name : option.names) {
    specs.push_back(absl::StrCat("'*", name, "[", description, "]", ZshValue(option), "'"));
  }
  return specs;
}

std::string ZshValue(const OptionInfo& option) {
  if (option.type.empty()) return "";
  if (!option.choices().empty()) {
    return absl::StrCat(":value:(", absl::StrJoin(option.choices(), " "), ")");
  }
  return absl::StrCat(":", absl::StrReplaceAll(option.type, {{":", "\\:"}}), ":",
                      option.takes_file() ? "_files" : "");
}

std::string FishOption(std::string_view program, std::string_view condition,
                       const OptionInfo& option) {
  std::string line = absl::StrCat("complete -c ", std::string(program));
  if (!condition.empty()) absl::StrAppend(&line, " -n '", std::string(condition), "'");
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    absl::StrAppend(&line, is_long ? " -l " : " -s ", name.substr(is_long ? 2 : 1));
  }
  if (!option.choices().empty()) {
    absl::StrAppend(&line, " -x -a '", absl::StrJoin(option.choices(), " "), "'");
  } else if (option.takes_file()) {
    line += " -r -F";
  } else if (!option.type.empty()) {
    line += " -x";
  }
  return absl::StrCat(line, " -d '", QuotedForFish(option.description), "'\n");
}

std::string QuotedForShell(std::string_view text) {
  return absl::StrReplaceAll(std::string(text), {{"'", "'\\''"}});
}

std::string QuotedForFish(std::string_view text) {
  return absl::StrReplaceAll(std::string(text), {{"\\", "\\\\"}, {"'", "\\'"}});
}

}  // namespace cursor_apps
