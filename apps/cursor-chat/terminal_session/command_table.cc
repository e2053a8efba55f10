#include "terminal_session/command_table.h"

#include "base/suggestion.h"

#include <algorithm>
#include <vector>

#include "terminal_session/commands.h"

namespace cursor_chat {
namespace {

constexpr SlashCommand kCommands[] = {
    {"help", "", "lists the commands", Completes::kNothing, ShowHelp},
    {"model", "[ID]", "the model of the next turns; without ID: lists them", Completes::kModels,
     ChangeModel},
    {"mode", "[MODE]", "agent, plan, ask or debug", Completes::kModes, ChangeMode},
    {"effort", "[WORD]", "how long the model reasons; \"default\" leaves it to the model",
     Completes::kEfforts, ChangeEffort},
    {"system", "[TEXT]", "rules for the agent; - removes them", Completes::kNothing, ChangeSystem},
    {"image", "FILE", "shows an image with the next prompt", Completes::kFiles, AddImage},
    {"undo", "", "takes the last turn back", Completes::kNothing, TakeBack},
    {"new", "", "begins another conversation", Completes::kNothing, BeginAnew},
    {"resume", "[FILE|N]", "goes on with a kept conversation; without FILE: lists them",
     Completes::kFiles, Resume},
    {"save", "[FILE]", "keeps the conversation, now and after each turn", Completes::kFiles, Save},
    {"usage", "", "tells of the tokens used", Completes::kNothing, ShowUsage},
    {"quit", "", "leaves, as Ctrl-D and the word exit do", Completes::kNothing, Quit},
};

// What other programs have by that name, and what is its like here.
struct ForeignCommand {
  std::string_view name;
  std::string_view ours;
};
constexpr ForeignCommand kForeignCommands[] = {
    {"exit", "/quit leaves"},
    {"bye", "/quit leaves"},
    {"q", "/quit leaves"},
    {"clear", "/new begins another conversation"},
    {"reset", "/new begins another conversation"},
    {"compact", "/new begins another conversation; a long one is not shortened"},
    {"login", "\"cursor-chat login\" in a shell signs in"},
    {"logout", "\"cursor-chat logout\" in a shell signs out"},
    {"models", "/model lists them"},
    {"sessions", "/resume lists the kept conversations"},
    {"history", "/resume lists the kept conversations"},
    {"cost", "/usage tells of the tokens used"},
    {"status", "/usage tells of the tokens used"},
    {"plan", "/mode plan changes nothing"},
    {"doctor", "\"cursor-chat doctor\" in a shell looks at each step"},
    {"mcp", "\"cursor-chat mcp list FILE\" in a shell shows the servers"},
};

std::string_view WithoutSpaces(std::string_view text) {
  const size_t start = text.find_first_not_of(" \n\t");
  if (start == text.npos) return "";
  return text.substr(start, text.find_last_not_of(" \n\t") - start + 1);
}

}  // namespace

std::span<const SlashCommand> Commands() { return kCommands; }

const SlashCommand* FindCommand(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kCommands), std::end(kCommands),
                   [name](const SlashCommand& command) { return name == command.name; });
  return found == std::end(kCommands) ? nullptr : found;
}

std::optional<CommandLine> ParseCommandLine(std::string_view line) {
  for (const std::string_view word : {"exit", "quit"}) {
    if (line.starts_with(word) && WithoutSpaces(line) == word) return CommandLine{.name = "quit"};
  }
  if (!line.starts_with('/')) return std::nullopt;
  const size_t end = std::min(line.find_first_of(" \n\t"), line.size());
  const CommandLine parsed{line.substr(1, end - 1), WithoutSpaces(line.substr(end))};
  const bool is_word =
      !parsed.name.empty() && std::all_of(parsed.name.begin(), parsed.name.end(),
                                          [](char c) { return c >= 'a' && c <= 'z'; });
  if (!is_word) return std::nullopt;
  if (parsed.argument.find('\n') != line.npos && parsed.name != "system") return std::nullopt;
  return parsed;
}

absl::Status RunCommandLine(SessionState& state, const CommandLine& line) {
  if (const SlashCommand* command = FindCommand(line.name))
    return command->run(state, line.argument);
  std::vector<std::string> known;
  for (const SlashCommand& command : kCommands) known.push_back("/" + std::string(command.name));
  const std::string word = "/" + std::string(line.name);
  for (const ForeignCommand& foreign : kForeignCommands) {
    if (foreign.name == line.name) {
      return absl::InvalidArgumentError("there is no command " + word + "; " +
                                        std::string(foreign.ours));
    }
  }
  const std::string suggestion = cursorwire::Suggest(word, known);
  return absl::InvalidArgumentError(
      "there is no command " + word +
      (suggestion.empty() ? "; /help lists them" : "; did you mean " + suggestion + "?"));
}

std::string CommandHelp() {
  std::string text;
  for (const SlashCommand& command : kCommands) {
    std::string line = "  /" + std::string(command.name) + " " + command.arguments;
    line.resize(std::max<size_t>(line.size() + 2, 20), ' ');
    text += line + command.help + "\n";
  }
  text +=
      "  @PATH             in a prompt: attaches a file or folder\n"
      "A line that ends with \\ goes on in the next one; Alt-Enter and Ctrl-J begin one.\n"
      "Tab completes, Ctrl-R searches what was entered, Ctrl-C stops a turn.\n";
  return text;
}

}  // namespace cursor_chat
