#include "common/program_help.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include "common/completion_text.h"
#include "common/man_text.h"
#include "common/option_info.h"

namespace cursor_apps {
namespace {

// A positional argument. `value` has its name as the only one of `names`, and always a type.
struct ProgramArgument {
  OptionInfo value{};
  bool repeats = false;
};

struct ProgramCommand {
  std::string word{};
  std::string summary{};
  std::string footer{};
  std::vector<OptionInfo> options{};
  std::vector<ProgramArgument> arguments{};
};

std::vector<ProgramArgument> ArgumentsOf(const CLI::App& command) {
  std::vector<ProgramArgument> arguments;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional() || option->get_group().empty()) continue;
    const std::string name = option->get_name(true);
    OptionInfo value{.names = {name},
                     .type = option->get_type_name(),
                     .description = option->get_description(),
                     .required = option->get_required()};
    // Without choices or files the type says no more than CLI11's own, which is TEXT.
    if (value.choices().empty() && !value.takes_file()) value.type = name;
    arguments.push_back(
        {.value = std::move(value), .repeats = option->get_items_expected_max() > 1});
  }
  return arguments;
}

// In the order of --help.
std::vector<ProgramCommand> CommandsOf(const CLI::App& app) {
  std::vector<ProgramCommand> commands;
  const auto is_shown = [](const CLI::App* command) {
    return !command->get_name().empty() && !command->get_group().empty();
  };
  for (const CLI::App* command : app.get_subcommands(is_shown)) {
    commands.push_back({.word = command->get_name(),
                        .summary = absl::StrReplaceAll(command->get_description(), {{"\n", " "}}),
                        .footer = command->get_footer(),
                        .options = Describe(*command),
                        .arguments = ArgumentsOf(*command)});
  }
  return commands;
}

std::string WordsOf(const std::vector<ProgramCommand>& commands) {
  return absl::StrJoin(commands, " ", [](std::string* text, const ProgramCommand& command) {
    text->append(command.word);
  });
}

// "[OPTIONS] --sync URL DOC [FILE]...", in the language of man(7).
std::string RoffUsage(const ProgramCommand& command) {
  std::string text;
  if (!command.options.empty()) text += " [" + RoffItalic("OPTIONS") + "]";
  for (const OptionInfo& option : command.options) {
    if (!option.required) continue;
    absl::StrAppend(&text, " ", RoffBold(option.names.back()));
    if (!option.type.empty()) absl::StrAppend(&text, " ", RoffItalic(option.type));
  }
  for (const auto& [value, repeats] : command.arguments) {
    const std::string name = RoffItalic(value.names.front());
    absl::StrAppend(&text, " ", value.required ? name : "[" + name + "]", repeats ? "..." : "");
  }
  return text;
}

// The footer as paragraphs, without the empty lines that --help has around it.
std::string RoffFooter(std::string_view footer) {
  footer.remove_prefix(std::min(footer.find_first_not_of('\n'), footer.size()));
  while (footer.ends_with("\n\n")) footer.remove_suffix(1);
  return RoffParagraphs(footer);
}

// Without the options that are the same for the whole program, such as --help.
std::string RoffCommand(const ProgramCommand& command, const std::vector<OptionInfo>& common) {
  std::string text = absl::StrCat(".SS ", Roff(command.word), "\n", Roff(command.summary), "\n");
  for (const auto& [value, repeats] : command.arguments) {
    OptionInfo shown = value;
    if (shown.type == shown.names.front()) shown.type.clear();
    text += RoffOption(shown);
  }
  for (const OptionInfo& option : command.options) {
    const bool is_common =
        std::any_of(common.begin(), common.end(), [&option](const OptionInfo& other) {
          return option.names == other.names && option.description == other.description;
        });
    if (!is_common) text += RoffOption(option);
  }
  const std::string footer = RoffFooter(command.footer);
  return footer.empty() ? text : text + ".PP\n" + footer;
}

// The name of the function of the script, such as "_cursor_collab".
std::string FunctionName(const CLI::App& app) {
  return "_" + absl::StrReplaceAll(app.get_name(), {{"-", "_"}});
}

// "'watch --sync'|'watch --field'": the command, then each of the names.
std::string BashPattern(std::string_view command, const std::vector<std::string>& names) {
  const std::string quoted = absl::StrCat("'", std::string(command), " ");
  return absl::StrJoin(names, "|", [&quoted](std::string* text, const std::string& name) {
    absl::StrAppend(text, quoted, name, "'");
  });
}

// The parts of the script of bash that tell of one command, or of the program itself as "".
struct BashParts {
  std::vector<std::string> with_value{};  // patterns
  std::string value_cases{};
  std::string option_cases{};
  std::string argument_cases{};

  void Add(const ProgramCommand& command) {
    const std::vector<std::string> names = NamesWithValue(command.options);
    if (!names.empty()) with_value.push_back(BashPattern(command.word, names));
    for (const OptionInfo& option : command.options) {
      value_cases += BashValueCase(BashPattern(command.word, option.names), option);
    }
    absl::StrAppend(&option_cases, "      '", command.word, "') ",
                    BashOffer(absl::StrJoin(OptionNames(command.options), " ")), " ;;\n");
    for (size_t i = 0; i < command.arguments.size(); ++i) {
      const auto& [value, repeats] = command.arguments[i];
      const std::string place = repeats ? "'*" : absl::StrCat(i, "'");
      argument_cases += BashValueCase(absl::StrCat("'", command.word, " ", place), value);
    }
  }
};

std::string BashScript(const CLI::App& app, const std::vector<ProgramCommand>& commands) {
  BashParts parts;
  parts.Add({.options = Describe(app)});
  for (const ProgramCommand& command : commands) parts.Add(command);
  const std::string& program = app.get_name();
  const std::string function = FunctionName(app);
  // bash takes "--option=value" for three words, as it does "ws://host". They are one in `words`.
  return absl::StrCat(
      "# Completes ", program, " in bash: source <(", program, " completion bash)\n", function,
      "() {\n"
      "  local words=() count=0 command= place=0 before= word i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i <= COMP_CWORD; i++)); do\n"
      "    if ((count)) && [[ ${COMP_WORDS[i]} == [=:]* || ${COMP_WORDS[i-1]} == [=:]* ]]; then\n"
      "      words[count-1]+=${COMP_WORDS[i]}\n"
      "    else\n"
      "      words[count++]=${COMP_WORDS[i]}\n"
      "    fi\n"
      "  done\n"
      "  word=${words[count-1]}\n"
      "  case $word in\n"
      "    --*=*) before=${word%%=*} word=${word#*=} ;;\n"
      "  esac\n"
      "  for ((i = 0; i < count - 1; i++)); do\n"
      "    case ${words[i]} in\n"
      "      --) return ;;\n"
      "      -?*)\n"
      "        case \"$command ${words[i]}\" in\n",
      parts.with_value.empty() ? ""
                               : "          " + absl::StrJoin(parts.with_value, "|\\\n          ") +
                                     ")\n"
                                     "            ((++i < count - 1)) || before=${words[i-1]} ;;\n",
      "        esac ;;\n"
      "      *) if [ -z \"$command\" ]; then command=${words[i]}; else ((++place)); fi ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$command $before\" in\n",
      parts.value_cases,
      "  esac\n"
      "  [ -z \"$before\" ] || return\n"
      "  case $word in\n"
      "    -*) case $command in\n",
      parts.option_cases,
      "    esac; return ;;\n"
      "  esac\n"
      "  case \"$command $place\" in\n"
      "    ' 0') ",
      BashOffer(WordsOf(commands)), " ;;\n", parts.argument_cases,
      "  esac\n"
      "}\n"
      "complete -F ",
      function, " ", program, "\n");
}

// The arguments of _arguments, one a line.
std::string ZshSpecs(std::string_view indent, const std::vector<OptionInfo>& options) {
  std::string lines;
  for (const OptionInfo& option : options) {
    for (const std::string& spec : ZshOptionSpecs(option)) {
      absl::StrAppend(&lines, " \\\n", std::string(indent), spec);
    }
  }
  return lines;
}

std::string ZshCommandCase(const ProgramCommand& command) {
  constexpr char kIndent[] = "            ";
  std::string text = absl::StrCat("        ", command.word, ")\n          _arguments",
                                  ZshSpecs(kIndent, command.options));
  for (size_t i = 0; i < command.arguments.size(); ++i) {
    const auto& [value, repeats] = command.arguments[i];
    const std::string place = repeats ? "*" : absl::StrCat(i + 1);
    absl::StrAppend(&text, " \\\n", kIndent, "'", place, ZshValue(value), "'");
  }
  return text + " ;;\n";
}

std::string ZshScript(const CLI::App& app, const std::vector<ProgramCommand>& commands) {
  std::string rows;
  std::string cases;
  for (const ProgramCommand& command : commands) {
    absl::StrAppend(&rows, "        '", command.word, ":", QuotedForShell(command.summary), "'\n");
    cases += ZshCommandCase(command);
  }
  const std::string& program = app.get_name();
  const std::string function = FunctionName(app);
  return absl::StrCat("#compdef ", program, "\n# Completes ", program, " in zsh: source <(",
                      program, " completion zsh)\n", function,
                      "() {\n"
                      "  local curcontext=$curcontext state line\n"
                      "  local -a commands\n"
                      "  typeset -A opt_args\n"
                      "  _arguments -C",
                      ZshSpecs("    ", Describe(app)),
                      " \\\n"
                      "    '1: :->command' '*:: :->argument'\n"
                      "  case $state in\n"
                      "    command)\n"
                      "      commands=(\n",
                      rows,
                      "      )\n"
                      "      _describe command commands ;;\n"
                      "    argument)\n"
                      "      case $words[1] in\n",
                      cases,
                      "      esac ;;\n"
                      "  esac\n"
                      "}\n"
                      "compdef ",
                      function, " ", program, "\n");
}

std::string FishCommand(const std::string& program, const ProgramCommand& command) {
  std::string lines = absl::StrCat("complete -c ", program, " -n __fish_use_subcommand -a ",
                                   command.word, " -d '", QuotedForFish(command.summary), "'\n");
  const std::string condition = "__fish_seen_subcommand_from " + command.word;
  for (const OptionInfo& option : command.options) {
    lines += FishOption(program, condition, option);
  }
  // The place of an argument is not looked at, but a choice is offered once.
  const std::string after = absl::StrCat("complete -c ", program, " -n '", condition);
  for (const auto& [value, repeats] : command.arguments) {
    if (const std::string words = absl::StrJoin(value.choices(), " "); !words.empty()) {
      const std::string once = repeats ? "" : "; and not __fish_seen_subcommand_from " + words;
      absl::StrAppend(&lines, after, once, "' -a '", words, "'\n");
    } else if (value.takes_file()) {
      absl::StrAppend(&lines, after, "' -F\n");
    }
  }
  return lines;
}

std::string FishScript(const CLI::App& app, const std::vector<ProgramCommand>& commands) {
  const std::string& program = app.get_name();
  std::string script = absl::StrCat("# Completes ", program, " in fish: ", program,
                                    " completion fish | source\ncomplete -c ", program, " -f\n");
  for (const OptionInfo& option : Describe(app)) {
    script += FishOption(program, "__fish_use_subcommand", option);
  }
  for (const ProgramCommand& command : commands) script += FishCommand(program, command);
  return script;
}

}  // namespace

std::string ManPage(const CLI::App& app, std::string_view version) {
  const std::vector<ProgramCommand> commands = CommandsOf(app);
  const std::string program = RoffBold(app.get_name());
  std::string page = RoffTitle(app.get_name(), version, app.get_description());
  page += ".SH SYNOPSIS\n";
  std::string separator;
  for (const ProgramCommand& command : commands) {
    absl::StrAppend(&page, std::exchange(separator, ".br\n"), program, " ", RoffBold(command.word),
                    RoffUsage(command), "\n");
  }
  page += ".SH OPTIONS\n";
  const std::vector<OptionInfo> options = Describe(app);
  for (const OptionInfo& option : options) page += RoffOption(option);
  page += ".SH COMMANDS\n";
  for (const ProgramCommand& command : commands) page += RoffCommand(command, options);
  return page + ".SH DESCRIPTION\n" + RoffFooter(app.get_footer());
}

std::optional<Shell> ParseShell(std::string_view name) {
  if (name == "bash") return Shell::kBash;
  if (name == "zsh") return Shell::kZsh;
  if (name == "fish") return Shell::kFish;
  return std::nullopt;
}

std::string Completion(Shell shell, const CLI::App& app) {
  const std::vector<ProgramCommand> commands = CommandsOf(app);
  switch (shell) {
    case Shell::kBash:
      return BashScript(app, commands);
    case Shell::kZsh:
      return ZshScript(app, commands);
    case Shell::kFish:
      return FishScript(app, commands);
  }
  return "";
}

}  // namespace cursor_apps
