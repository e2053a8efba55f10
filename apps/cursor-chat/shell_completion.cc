#include "shell_completion.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <algorithm>

namespace cursor_chat {
namespace {

std::string Joined(const std::vector<std::string>& words) { return absl::StrJoin(words, " "); }

std::string CommandList() { return absl::StrJoin(kCommandWords, " "); }

std::string ShellList() { return absl::StrJoin(kShells, " "); }

// The case of one option's value in the bash script; empty: nothing can be said of it.
std::string BashCase(const OptionInfo& option) {
  const std::string names = absl::StrJoin(option.names, "|");
  if (!option.choices().empty()) {
    return absl::StrCat("    ", names, ") COMPREPLY=($(compgen -W '", Joined(option.choices()),
                        "' -- \"$word\")); return ;;\n");
  }
  if (option.takes_file()) {
    return absl::StrCat("    ", names, ") compopt -o default; return ;;\n");
  }
  return option.type.empty() ? "" : absl::StrCat("    ", names, ") return ;;\n");
}

std::string BashScript(const std::vector<OptionInfo>& options) {
  std::string cases;
  std::vector<std::string> names;
  for (const OptionInfo& option : options) {
    cases += BashCase(option);
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return absl::StrCat(
      "# Completes cursor-chat in bash: source <(cursor-chat completion bash)\n"
      "_cursor_chat() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n"
      "  case $before in\n",
      cases, "    completion) COMPREPLY=($(compgen -W '", ShellList(),
      "' -- \"$word\")); return ;;\n"
      "  esac\n"
      "  case $word in\n"
      "    -*) COMPREPLY=($(compgen -W '",
      Joined(names),
      "' -- \"$word\")) ;;\n"
      "    *) if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W '",
      CommandList(),
      "' -- \"$word\")); fi ;;\n"
      "  esac\n"
      "}\n"
      "complete -F _cursor_chat cursor-chat\n");
}

// Within single quotes.
std::string Quoted(std::string_view text) {
  return absl::StrReplaceAll(std::string(text), {{"'", "'\\''"}});
}

std::string ZshDescription(const OptionInfo& option) {
  return Quoted(
      absl::StrReplaceAll(option.description, {{"[", "\\["}, {"]", "\\]"}, {":", "\\:"}}));
}

std::string ZshValue(const OptionInfo& option) {
  if (option.type.empty()) return "";
  if (!option.choices().empty()) return absl::StrCat(":value:(", Joined(option.choices()), ")");
  return absl::StrCat(":", option.type, ":", option.takes_file() ? "_files" : "");
}

std::string ZshScript(const std::vector<OptionInfo>& options) {
  std::string lines;
  for (const OptionInfo& option : options) {
    for (const std::string& name : option.names) {
      absl::StrAppend(&lines, "    '*", name, "[", ZshDescription(option), "]", ZshValue(option),
                      "' \\\n");
    }
  }
  return absl::StrCat(
      "#compdef cursor-chat\n"
      "# Completes cursor-chat in zsh: source <(cursor-chat completion zsh)\n"
      "_cursor_chat() {\n"
      "  _arguments \\\n",
      lines, "    '1::command:(", CommandList(), ")' \\\n    '2::shell:(", ShellList(),
      ")'\n"
      "}\n"
      "compdef _cursor_chat cursor-chat\n");
}

std::string FishLine(const OptionInfo& option) {
  std::string line = "complete -c cursor-chat";
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    absl::StrAppend(&line, is_long ? " -l " : " -s ", name.substr(is_long ? 2 : 1));
  }
  if (!option.choices().empty()) {
    absl::StrAppend(&line, " -x -a '", Joined(option.choices()), "'");
  } else if (option.takes_file()) {
    line += " -r -F";
  } else if (!option.type.empty()) {
    line += " -x";
  }
  return absl::StrCat(line, " -d '", absl::StrReplaceAll(option.description, {{"'", "\\'"}}),
                      "'\n");
}

std::string FishScript(const std::vector<OptionInfo>& options) {
  std::string script =
      "# Completes cursor-chat in fish: cursor-chat completion fish | source\n"
      "complete -c cursor-chat -f\n";
  for (const OptionInfo& option : options) script += FishLine(option);
  return absl::StrCat(script, "complete -c cursor-chat -n __fish_use_subcommand -a '",
                      CommandList(), "'\n",
                      "complete -c cursor-chat -n '__fish_seen_subcommand_from completion' -a '",
                      ShellList(), "'\n");
}

}  // namespace

std::vector<std::string> OptionInfo::choices() const {
  std::vector<std::string> words;
  if (type.find('|') == std::string::npos) return words;
  std::string_view rest = type;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find('|'));
    words.emplace_back(word);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return words;
}

std::string CompletionScript(std::string_view shell, const std::vector<OptionInfo>& options) {
  if (shell == "zsh") return ZshScript(options);
  if (shell == "fish") return FishScript(options);
  return BashScript(options);
}

}  // namespace cursor_chat
