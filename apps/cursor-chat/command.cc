#include "command.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include "base/suggestion.h"

#include <algorithm>

namespace cursor_chat {
namespace {

constexpr CommandForm kAcpForms[] = {{.command = Command::kAcp}};
constexpr CommandForm kAskForms[] = {
    {.command = Command::kChat, .argument = "PROMPT|-", .count = ArgumentCount::kAny}};
constexpr CommandForm kCompletionForms[] = {{.command = Command::kBashCompletion, .word = "bash"},
                                            {.command = Command::kZshCompletion, .word = "zsh"},
                                            {.command = Command::kFishCompletion, .word = "fish"}};
constexpr CommandForm kDoctorForms[] = {{.command = Command::kDoctor}};
constexpr CommandForm kHelpForms[] = {{.command = Command::kHelp,
                                       .argument = "COMMAND",
                                       .count = ArgumentCount::kOptional,
                                       .kind = ArgumentKind::kCommand}};
constexpr CommandForm kLoginForms[] = {{.command = Command::kLogin}};
constexpr CommandForm kLogoutForms[] = {{.command = Command::kLogout}};
constexpr CommandForm kMcpForms[] = {{.command = Command::kMcpList,
                                      .word = "list",
                                      .argument = "FILE",
                                      .count = ArgumentCount::kOne,
                                      .kind = ArgumentKind::kFile,
                                      .meaning = "the FILE of servers"},
                                     {.command = Command::kMcpTest,
                                      .word = "test",
                                      .argument = "FILE",
                                      .count = ArgumentCount::kOne,
                                      .kind = ArgumentKind::kFile,
                                      .meaning = "the FILE of servers"}};
constexpr CommandForm kModelsForms[] = {{.command = Command::kModels}};
constexpr CommandForm kSessionsForms[] = {
    {.command = Command::kSessions,
     .argument = "DIR",
     .count = ArgumentCount::kOptional,
     .kind = ArgumentKind::kFolder},
    {.command = Command::kSessionsRemove,
     .word = "rm",
     .argument = "FILE",
     .count = ArgumentCount::kAtLeastOne,
     .kind = ArgumentKind::kFile,
     .meaning = "the FILE of a conversation, as \"cursor-chat sessions\" shows it"}};
constexpr CommandForm kTraceForms[] = {{.command = Command::kTraceShow,
                                        .word = "show",
                                        .argument = "FILE",
                                        .count = ArgumentCount::kOne,
                                        .kind = ArgumentKind::kFile,
                                        .meaning = "the FILE that --trace has recorded"},
                                       {.command = Command::kTraceToScript,
                                        .word = "to-script",
                                        .argument = "FILE",
                                        .count = ArgumentCount::kOne,
                                        .kind = ArgumentKind::kFile,
                                        .meaning = "the FILE that --trace has recorded"}};
constexpr CommandForm kUsageForms[] = {{.command = Command::kUsage}};
constexpr CommandForm kWhoamiForms[] = {{.command = Command::kWhoami}};

constexpr CommandInfo kProgramCommands[] = {
    {.word = "acp",
     .forms = kAcpForms,
     .summary = "serves an editor on standard input and output",
     .details = R"(Speaks the Agent Client Protocol; the editor starts it so. It asks in the editor
before it changes or runs anything. docs/acp.md has the settings of Zed,
JetBrains, Neovim and Emacs.
)",
     .options =
         "--state --allow --sandbox --mode --model --effort --context --rules --no-rules --tools "
         "--mcp-config "
         "--local --trace",
     .formats = CommandFormats::kText},
    {.word = "ask",
     .forms = kAskForms,
     .summary = "asks, even if the prompt begins with the word of a command",
     .details = R"(The same as the prompt without this word, and as the prompt after --:
  cursor-chat ask models of the world, please
  cursor-chat -- models of the world, please
)",
     .options = "--model --workspace --allow --mode --session --format",
     .formats = CommandFormats::kAll},
    {.word = "completion",
     .forms = kCompletionForms,
     .summary = "prints the completion script of that shell",
     .details = R"(For the start file of the shell:
  source <(cursor-chat completion bash)
  source <(cursor-chat completion zsh)
  cursor-chat completion fish | source
)",
     .options = ""},
    {.word = "doctor",
     .forms = kDoctorForms,
     .summary = "looks at each step to an answer and says what to do",
     .details = R"(Versions, limits, proxy, names, TCP, TLS, HTTP/2, login, models and one short
question; docs/diagnosis.md tells of each.
)",
     .options = "--format --model --endpoint --api-endpoint --cacert --proxy --token-source "
                "--client-version --connect-timeout",
     .needs_account = true},
    {.word = "help",
     .forms = kHelpForms,
     .summary = "prints this help, or that of a command",
     .details = "The same as --help, and as COMMAND --help.\n",
     .options = "",
     .formats = CommandFormats::kAll},
    {.word = "login",
     .forms = kLoginForms,
     .summary = "logs in with a browser",
     .details = "Keeps the login in a private file; docs/credentials.md tells of it.\n",
     .options = "--no-browser --api-endpoint --cacert --proxy --token-source",
     .formats = CommandFormats::kText,
     .needs_account = true},
    {.word = "logout",
     .forms = kLogoutForms,
     .summary = "removes that login",
     .details = "",
     .options = "--format --token-source",
     .needs_account = true},
    {.word = "mcp",
     .forms = kMcpForms,
     .summary = "starts the MCP servers of a file and says how they do",
     .details = R"("list" shows what each server offers, how long it took to start and what is
wrong; "test" is one line for each. The file is one for --mcp-config;
docs/mcp.md tells of it.
)",
     .options = "--workspace --proxy --format"},
    {.word = "models",
     .forms = kModelsForms,
     .summary = "lists the models of your account",
     .details = R"(With what --effort and --context may say of each; ~ marks a context size that is
a guess:
  cursor-chat models
  cursor-chat models --format json
)",
     .options = "--format --local --endpoint --api-endpoint --cacert --proxy "
                "--token-source "
                "--client-version"},
    {.word = "sessions",
     .forms = kSessionsForms,
     .summary = "lists kept conversations, or removes some",
     .details = R"(Lists those of --save, or those in DIR. "rm" removes the files of
conversations; a name without a folder may be one of those of --save:
  cursor-chat sessions
  cursor-chat sessions rm bern.session
)",
     .options = "--format"},
    {.word = "trace",
     .forms = kTraceForms,
     .summary = "shows what --trace has recorded, or makes a script of it",
     .details = R"("show" shows the calls for a person; "to-script" makes a script for
local-upstream, so that a failure becomes a test:
  cursor-chat --trace trace.jsonl "why does the build fail?"
  cursor-chat trace show trace.jsonl | less
)",
     .options = "",
     .formats = CommandFormats::kText},
    {.word = "usage",
     .forms = kUsageForms,
     .summary = "tells what your plan has left",
     .details = "",
     .options = "--format --local --endpoint --api-endpoint --cacert --proxy "
                "--token-source "
                "--client-version"},
    {.word = "whoami",
     .forms = kWhoamiForms,
     .summary = "tells whose login is used, and where it is from",
     .details = "",
     .options = "--format --token-source",
     .needs_account = true},
};

// A prompt is told from a slip by more letters than this.
constexpr size_t kMinSimilarBytes = 4;

// "a, b or c".
std::string Alternatives(const std::vector<std::string>& words) {
  if (words.size() < 2) return absl::StrJoin(words, "");
  const std::vector<std::string> before(words.begin(), words.end() - 1);
  return absl::StrCat(absl::StrJoin(before, ", "), " or ", words.back());
}

absl::Status UsageErrorOf(const CommandInfo& info, const std::string& problem) {
  const std::string word(info.word);
  return absl::InvalidArgumentError(
      absl::StrCat(problem, "; a prompt that begins with the word ", word,
                   " goes after -- or the word ask (see cursor-chat help ", word, ")"));
}

// The form that the second word names, or the one without such a word; nullptr if neither is there.
const CommandForm* FindForm(const CommandInfo& info, const std::vector<std::string>& words) {
  const CommandForm* plain = nullptr;
  for (const CommandForm& form : info.forms) {
    if (form.word.empty()) plain = &form;
    if (!form.word.empty() && words.size() > 1 && words[1] == form.word) return &form;
  }
  return plain;
}

std::string WrongForm(const CommandInfo& info, const std::vector<std::string>& words) {
  std::vector<std::string> forms;
  for (const CommandForm& form : info.forms) forms.push_back(form.text());
  const std::string choice = Alternatives(forms);
  const std::string word(info.word);
  if (words.size() == 1) return absl::StrCat(word, " needs one more word: ", choice);
  return absl::StrCat(word, " ", words[1], " is no command; after ", word, " comes ", choice);
}

// What is wrong with the number of arguments; "": nothing.
std::string WrongCount(const CommandForm& form, const std::string& head,
                       const std::vector<std::string>& arguments) {
  const bool needs_one =
      form.count == ArgumentCount::kOne || form.count == ArgumentCount::kAtLeastOne;
  if (needs_one && arguments.empty()) {
    return absl::StrCat(head, " needs ", std::string(form.meaning));
  }
  if (form.count == ArgumentCount::kNone && !arguments.empty()) {
    return absl::StrCat("nothing may follow ", head, ", but there is '", arguments[0], "'");
  }
  const bool takes_one =
      form.count == ArgumentCount::kOne || form.count == ArgumentCount::kOptional;
  if (takes_one && arguments.size() > 1) {
    return absl::StrCat(head, " takes one ", std::string(form.argument), ", but there is also '",
                        arguments[1], "'");
  }
  return "";
}

}  // namespace

std::string CommandForm::text() const {
  std::string name(argument);
  if (count == ArgumentCount::kOptional || count == ArgumentCount::kAny) name = "[" + name + "]";
  if (count == ArgumentCount::kAtLeastOne || count == ArgumentCount::kAny) name += "...";
  return absl::StrCat(std::string(word), word.empty() || name.empty() ? "" : " ", name);
}

std::span<const CommandInfo> ProgramCommands() { return kProgramCommands; }

const CommandInfo* FindProgramCommand(std::string_view word) {
  const auto* found =
      std::find_if(std::begin(kProgramCommands), std::end(kProgramCommands),
                   [word](const CommandInfo& command) { return command.word == word; });
  return found == std::end(kProgramCommands) ? nullptr : found;
}

const CommandInfo* FindSimilarCommand(std::string_view word) {
  if (word.size() < kMinSimilarBytes) return nullptr;
  for (const CommandInfo& command : kProgramCommands) {
    const bool is_start = command.word.starts_with(word);
    const bool is_plural =
        word.starts_with(command.word) && word.substr(command.word.size()) == "s";
    if (is_start || is_plural) return &command;
  }
  return nullptr;
}

absl::StatusOr<CommandCall> ParseCommand(const std::vector<std::string>& words) {
  const CommandInfo* info = words.empty() ? nullptr : FindProgramCommand(words[0]);
  if (info == nullptr) return CommandCall{.arguments = words};
  const CommandForm* form = FindForm(*info, words);
  if (form == nullptr) return UsageErrorOf(*info, WrongForm(*info, words));
  const size_t head_size = form->word.empty() ? 1 : 2;
  CommandCall call{.info = info, .command = form->command};
  call.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(head_size), words.end());
  std::string head(info->word);
  if (!form->word.empty()) absl::StrAppend(&head, " ", std::string(form->word));
  const std::string problem = WrongCount(*form, head, call.arguments);
  if (!problem.empty()) return UsageErrorOf(*info, problem);
  return call;
}

absl::StatusOr<const CommandInfo*> CommandToExplain(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return nullptr;
  if (const CommandInfo* info = FindProgramCommand(arguments[0])) return info;
  std::vector<std::string> known;
  for (const CommandInfo& command : kProgramCommands) known.emplace_back(command.word);
  const std::string suggestion = cursorwire::Suggest(arguments[0], known);
  return UsageErrorOf(*FindProgramCommand("help"),
                      "there is no command " + arguments[0] +
                          (suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
}

}  // namespace cursor_chat
