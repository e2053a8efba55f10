// Room: src/documents
#ifndef CURSORWIRE_DOCUMENTS_BUILDER_H_
#define CURSORWIRE_DOCUMENTS_BUILDER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/chat.h"
#include "cursorwire/documents/document.h"
#include "cursorwire/documents/document_event.h"
#include "cursorwire/documents/response.h"
#include "cursorwire/export.h"
#include "cursorwire/id_source.h"
#include "cursorwire/query.h"

namespace cursorwire::documents {

// A value.
struct BuilderOptions {
  // Of the request: they stand in the response. The mode also decides CodePurpose::kSuggestion.
  std::string model{};
  AgentMode mode = AgentMode::kAgent;
  // Builder::set_conversation_id() sets it later.
  std::string conversation_id{};
  // What text documents say of their format: kPlain if the model was told to write plain text.
  TextFormat text_format = TextFormat::kMarkdown;
  // False: response() has no documents, and memory holds the open ones alone.
  bool keep_documents = true;
  // Limit of what is held, in bytes: contents, arguments, results, ids and names, with 256 bytes
  // for each document; what is held twice counts twice. An answer beyond it ends with an error
  // document, kResourceExhausted.
  size_t max_bytes = size_t{64} * 1024 * 1024;
  // For tests. Defaults: now, the steady clock, random ids.
  std::optional<std::chrono::system_clock::time_point> created{};
  std::function<std::chrono::steady_clock::time_point()> clock{};
  std::shared_ptr<IdSource> ids{};
};

// Makes documents of the events of one turn: complete, or as they come.
//
//   documents::Builder builder({.model = "composer-2"});
//   for (const absl::StatusOr<ChatEvent>& event : client->Chat({.prompt = "Add a login form"})) {
//     for (const DocumentEvent& part : builder.Add(event)) Show(part);  // streaming
//   }
//   std::cout << ToJson(builder.response()) << "\n";                    // complete
//
// The text of the answer is cut at its code fences, as CommonMark has them: backticks or tildes,
// longer ones around shorter ones, indented by up to three spaces, also within items of lists. A
// fence after the line start `12:14:src/main.py` shows lines of a file. Wherever the service cuts
// the text into pieces, the documents are the same.
// In code that is Markdown, a fence with an info string opens an inner block, which the next one
// without closes, even where CommonMark would end the code there.
// Looser than CommonMark, as models write: each line that looks like the marker of a list item is
// one (also "2." after a paragraph, or "- - -"), and code within a list that is indented less than
// the item does not end its fence. Fences in block quotes are text.
// Tool calls come from the tool events of the turn. A tool that starts closes the text before it,
// also within an open fence. A lost turn that goes on (Retrying) goes on within the same text.
//
// The turn ends with TurnEnded, an error or Finish(); `Done` is the last event then, and what comes
// after has no effect. A cancelled turn (kCancelled) has the status kError and no error document.
// Bytes that are not UTF-8 become U+FFFD.
// Thread-compatible. One that was moved from may only be destroyed or assigned to.
class CURSORWIRE_EXPORT Builder {
 public:
  explicit Builder(BuilderOptions options = {});
  ~Builder();
  Builder(Builder&&) noexcept;
  Builder& operator=(Builder&&) noexcept;

  // The next element of a ChatStream. Returns what happened to the documents by it.
  std::vector<DocumentEvent> Add(const ChatEvent& event);
  std::vector<DocumentEvent> Add(const absl::StatusOr<ChatEvent>& element);
  // A question of the agent that came to a QueryHandler, which may have no tool call of its own. A
  // plan and questions become documents; a tool call with the same id is the same document.
  std::vector<DocumentEvent> AddQuery(const QueryArgs& query);
  // The turn is over. For ways of receiving a turn that end with a Status, such as ChatObserver.
  // `error_code`: of the document of an error; empty: the code of `status`.
  std::vector<DocumentEvent> Finish(const absl::Status& status, std::string_view error_code = {});

  // The service may give a conversation another id within a turn: set it before the turn ends. It
  // gets the prefix "conv_" unless it has it.
  void set_conversation_id(std::string id);
  // What the answer is so far; kStreaming until the turn has ended. Documents that are still open
  // have the metadata that they started with.
  ChatResponse response() const;
  // kResourceExhausted: the answer is larger than BuilderOptions::max_bytes, and `Done` came.
  // Cancel the turn then.
  const absl::Status& status() const;

 private:
  class CURSORWIRE_HIDDEN State;
  std::unique_ptr<State> state_;
};

// Puts a response together from its events alone: for a program at the other end of a pipe.
//
// Order: Apply() each event in order; response() at any time. Thread-compatible.
class CURSORWIRE_EXPORT ChatResponseBuilder {
 public:
  //   kInvalidArgument  an event that no Builder sends: of a document that was not started, one
  //   with
  //                     a wrong sequence, or one after Done. It has no effect.
  absl::Status Apply(const DocumentEvent& event);
  const ChatResponse& response() const { return response_; }

 private:
  absl::Status Start(const DocumentStart& start);
  absl::Status End(const DocumentEnd& end);
  // nullptr: it is not open.
  Document* FindOpen(const std::string& document_id);

  ChatResponse response_;
  std::map<std::string, size_t> open_;  // places in the response, by id
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_DOCUMENTS_BUILDER_H_
