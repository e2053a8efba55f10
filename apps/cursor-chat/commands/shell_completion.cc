#include "commands/shell_completion.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <string_view>

#include "command.h"
#include "common/completion_text.h"

namespace cursor_chat {
namespace {

using cursor_apps::OptionInfo;

std::string Joined(const std::vector<std::string>& words) { return absl::StrJoin(words, " "); }

// The words of all commands.
std::string CommandWords() {
  std::vector<std::string> words;
  for (const CommandInfo& command : ProgramCommands()) words.emplace_back(command.word);
  return Joined(words);
}

// The second words of a command, such as "list test".
std::string FormWords(const CommandInfo& command) {
  std::vector<std::string> words;
  for (const CommandForm& form : command.forms) {
    if (!form.word.empty()) words.emplace_back(form.word);
  }
  return Joined(words);
}

bool TakesPath(const CommandForm& form) {
  return form.kind == ArgumentKind::kFile || form.kind == ArgumentKind::kFolder;
}

// What bash offers after the words of a command; `words` is the second word, or what stands there
// before it is known.
std::string BashCase(const CommandInfo& command, const CommandForm& form) {
  const std::string pattern =
      absl::StrCat("    '", std::string(command.word), " ", std::string(form.word), "')");
  std::string choices = form.word.empty() ? FormWords(command) : "";
  if (form.kind == ArgumentKind::kCommand) choices = CommandWords();
  std::string text = pattern;
  if (!choices.empty()) {
    absl::StrAppend(&text, " ", cursor_apps::BashOffer(choices));
  }
  if (TakesPath(form)) absl::StrAppend(&text, choices.empty() ? "" : ";", " compopt -o default");
  return choices.empty() && !TakesPath(form) ? "" : text + " ;;\n";
}

// The cases "COMMAND SECOND_WORD" of all commands.
std::string BashCommandCases() {
  std::string cases;
  for (const CommandInfo& command : ProgramCommands()) {
    bool has_plain = false;
    for (const CommandForm& form : command.forms) {
      has_plain = has_plain || form.word.empty();
      cases += BashCase(command, form);
    }
    if (!has_plain) cases += BashCase(command, CommandForm{.command = Command::kHelp});
  }
  return cases;
}

// What zsh offers as the argument of that form.
std::string ZshArgument(const CommandForm& form) {
  switch (form.kind) {
    case ArgumentKind::kFile:
      return "_files";
    case ArgumentKind::kFolder:
      return "_files -/";
    case ArgumentKind::kCommand:
      return absl::StrCat("compadd ", CommandWords());
    case ArgumentKind::kText:
      break;
  }
  return "";
}

// The case of one command, whose words are words[1], words[2]...
std::string ZshCase(const CommandInfo& command) {
  std::string first;
  std::string rest;
  for (const CommandForm& form : command.forms) {
    const std::string argument = ZshArgument(form);
    if (form.word.empty()) {
      first = argument;
    } else if (!argument.empty()) {
      absl::StrAppend(&rest, " ", std::string(form.word), ") ", argument, " ;;");
    }
  }
  if (const std::string words = FormWords(command); !words.empty()) {
    first = absl::StrCat("compadd ", words, first.empty() ? "" : "; ", first);
  }
  if (first.empty()) return "";
  std::string text = absl::StrCat("        ", std::string(command.word),
                                  ")\n          if ((CURRENT == 2)); then ", first, "\n");
  if (!rest.empty()) absl::StrAppend(&text, "          else case $words[2] in", rest, " esac\n");
  return text + "          fi ;;\n";
}

// What fish offers after that command, and after each second word.
std::string FishLines(const CommandInfo& command) {
  const std::string word(command.word);
  const std::string after = "complete -c cursor-chat -n '__fish_seen_subcommand_from " + word;
  const std::string words = FormWords(command);
  std::string lines;
  if (!words.empty()) {
    absl::StrAppend(&lines, after, "; and not __fish_seen_subcommand_from ", words, "' -a '", words,
                    "'\n");
  }
  for (const CommandForm& form : command.forms) {
    const std::string second =
        form.word.empty()
            ? ""
            : absl::StrCat("; and __fish_seen_subcommand_from ", std::string(form.word));
    if (TakesPath(form)) absl::StrAppend(&lines, after, second, "' -F\n");
    if (form.kind == ArgumentKind::kCommand) {
      absl::StrAppend(&lines, after, second, "' -a '", CommandWords(), "'\n");
    }
  }
  return lines;
}

}  // namespace

std::string BashCompletion(const std::vector<OptionInfo>& options) {
  std::string cases;
  for (const OptionInfo& option : options) {
    cases += cursor_apps::BashValueCase(absl::StrJoin(option.names, "|"), option);
  }
  // bash takes "--option=value" for three words.
  return absl::StrCat(
      "# Completes cursor-chat in bash: source <(cursor-chat completion bash)\n"
      "_cursor_chat() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command= second= i\n"
      "  COMPREPLY=()\n"
      "  [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  [ \"$word\" != = ] || word=\n"
      "  case $before in\n",
      cases,
      "  esac\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${COMP_WORDS[i]} in\n"
      "      --) return ;;\n"
      "      ",
      absl::StrJoin(cursor_apps::NamesWithValue(options), "|"),
      ")\n"
      "        [ \"${COMP_WORDS[i+1]}\" != = ] || ((i++))\n"
      "        ((i++)) ;;\n"
      "      -?*) ;;\n"
      "      *) if [ -z \"$command\" ]; then command=${COMP_WORDS[i]}\n"
      "         elif [ -z \"$second\" ]; then second=${COMP_WORDS[i]}; fi ;;\n"
      "    esac\n"
      "  done\n"
      "  case $word in\n"
      "    -*) ",
      cursor_apps::BashOffer(Joined(cursor_apps::OptionNames(options))),
      "; return ;;\n"
      "  esac\n"
      "  case \"$command $second\" in\n"
      "    ' ') ",
      cursor_apps::BashOffer(CommandWords()), " ;;\n", BashCommandCases(),
      "  esac\n"
      "}\n"
      "complete -F _cursor_chat cursor-chat\n");
}

std::string ZshCompletion(const std::vector<OptionInfo>& options) {
  std::string lines;
  for (const OptionInfo& option : options) {
    for (const std::string& spec : cursor_apps::ZshOptionSpecs(option)) {
      absl::StrAppend(&lines, "    ", spec, " \\\n");
    }
  }
  std::string cases;
  for (const CommandInfo& command : ProgramCommands()) cases += ZshCase(command);
  return absl::StrCat(
      "#compdef cursor-chat\n"
      "# Completes cursor-chat in zsh: source <(cursor-chat completion zsh)\n"
      "_cursor_chat() {\n"
      "  local state line\n"
      "  _arguments -C \\\n",
      lines,
      "    '1: :->command' '*:: :->argument'\n"
      "  case $state in\n"
      "    command) compadd ",
      CommandWords(),
      " ;;\n"
      "    argument)\n"
      "      case $words[1] in\n",
      cases,
      "      esac ;;\n"
      "  esac\n"
      "}\n"
      "compdef _cursor_chat cursor-chat\n");
}

std::string FishCompletion(const std::vector<OptionInfo>& options) {
  std::string script =
      "# Completes cursor-chat in fish: cursor-chat completion fish | source\n"
      "complete -c cursor-chat -f\n";
  for (const OptionInfo& option : options) {
    script += cursor_apps::FishOption("cursor-chat", "", option);
  }
  for (const CommandInfo& command : ProgramCommands()) {
    absl::StrAppend(&script, "complete -c cursor-chat -n __fish_use_subcommand -a ",
                    std::string(command.word), " -d '", cursor_apps::QuotedForFish(command.summary),
                    "'\n", FishLines(command));
  }
  return script;
}

}  // namespace cursor_chat
