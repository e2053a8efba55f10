#include "upstream/assistant/answer.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include "base/strings.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

std::string Counted(size_t count, std::string_view noun) {
  return absl::StrCat(count, " ", ToAbsl(noun), count == 1 ? "" : "s");
}

// The requested settings besides the id; "" if there are none.
std::string SettingsOf(const pb::RequestedModel& model) {
  std::vector<std::string> settings;
  if (model.max_mode()) settings.emplace_back("max mode");
  for (const auto& parameter : model.parameters()) {
    settings.push_back(parameter.id() + "=" + parameter.value());
  }
  return settings.empty() ? "" : absl::StrCat(" with ", absl::StrJoin(settings, ", "));
}

std::string AboutBefore(const Transcript& transcript) {
  if (transcript.exchanges().empty()) return "";
  std::string text = "Before that, you said:\n";
  for (const Transcript::Exchange& exchange : transcript.exchanges()) {
    absl::StrAppend(&text, "- \"", exchange.user, "\", and I answered in ",
                    Counted(CountWords(exchange.assistant), "word"),
                    exchange.is_whole ? "\n" : ", before it was complete\n");
  }
  return text;
}

}  // namespace

std::string AnswerFromRequest(const pb::AgentRunRequest& request, const Transcript& transcript) {
  const pb::UserMessage& user = request.action().user_message_action().user_message();
  const pb::RequestedModel& model = request.requested_model();
  std::string answer = absl::StrCat("You said: \"", user.text(), "\"\nThat is ",
                                    Counted(CountWords(user.text()), "word"), " in ",
                                    Counted(user.text().size(), "byte"), " for the model \"",
                                    model.model_id(), "\"", SettingsOf(model), ".\n");
  for (const pb::SelectedImage& image : user.selected_context().selected_images()) {
    absl::StrAppend(&answer, "You showed me an image: ", image.mime_type(), ", ",
                    Counted(image.data().size(), "byte"), ".\n");
  }
  for (const pb::SelectedFile& file : user.selected_context().files()) {
    absl::StrAppend(&answer, "You attached a file: ", file.relative_path(), ", ",
                    Counted(file.content().size(), "byte"), ".\n");
  }
  for (const pb::SelectedFolder& folder : user.selected_context().folders()) {
    absl::StrAppend(
        &answer, "You attached a folder: ", folder.relative_path(), ", with ",
        Counted(static_cast<size_t>(folder.directory_tree().children_files_size()), "file"),
        " in it.\n");
  }
  if (!transcript.rules().empty()) {
    absl::StrAppend(&answer, "Your rules are: ", transcript.rules(), "\n");
  }
  absl::StrAppend(
      &answer, AboutBefore(transcript),
      "I am the local upstream of cursorwire: no model, but a server in your own process. "
      "Your question came to me through HTTP/2, and I fetched ",
      Counted(transcript.messages(), "prompt blob"), " of ", Counted(transcript.bytes(), "byte"),
      " from your client before I answered, as the real service does.");
  return answer;
}

std::vector<std::string> SplitWords(const std::string& text) {
  std::vector<std::string> words;
  bool in_space = false;  // true while the last word is only white space
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (words.empty() || (space && !in_space)) {
      words.emplace_back();
      in_space = true;
    }
    in_space = in_space && space;
    words.back() += c;
  }
  return words;
}

size_t CountWords(std::string_view text) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(ToAbsl(text), absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
  return words.size();
}

}  // namespace cursorwire::upstream
