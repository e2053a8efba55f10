#ifndef CURSORWIRE_TESTS_DOCUMENTS_PLAYED_TURN_H_
#define CURSORWIRE_TESTS_DOCUMENTS_PLAYED_TURN_H_

#include <absl/status/status.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/documents.h"

namespace cursorwire::documents {

// A Builder whose clock is set by the test, and which checks whatever comes out of it: the events
// and the response follow the schema, `done` is the last, and the events alone give the response.
//
// The response and its events go to the file that CURSORWIRE_DOCUMENTS_OUT names, too, where a
// validator of another project looks at them: tests/interop/documents.
class PlayedTurn {
 public:
  explicit PlayedTurn(BuilderOptions options = {});

  PlayedTurn& Add(const ChatEvent& event);
  PlayedTurn& Text(std::string_view text) { return Add(TextDelta{std::string(text)}); }
  PlayedTurn& Start(ToolCallInfo call) { return Add(ToolCallStarted{std::move(call)}); }
  PlayedTurn& Complete(ToolCallInfo call) { return Add(ToolCallCompleted{std::move(call)}); }
  PlayedTurn& Query(const QueryArgs& query);
  PlayedTurn& Wait(std::chrono::milliseconds time);
  // TurnEnded, or an error; then everything is checked.
  const ChatResponse& End(const absl::Status& status = absl::OkStatus());

  Builder& builder() { return builder_; }
  const std::vector<DocumentEvent>& events() const { return events_; }
  // The names of the events, each with the number of its document: "document_start 1".
  std::vector<std::string> event_names() const;
  // Of the response: each as "type|content".
  std::vector<std::string> documents() const;
  template <typename Metadata>
  Metadata Of(size_t place) const {
    return std::get<Metadata>(response_.documents.at(place).metadata);
  }

 private:
  static BuilderOptions ForTest(BuilderOptions options,
                                const std::shared_ptr<std::chrono::milliseconds>& time);
  void Take(std::vector<DocumentEvent> events);
  void CheckAll() const;

  const std::shared_ptr<std::chrono::milliseconds> time_;  // shared with the clock
  Builder builder_;
  std::vector<DocumentEvent> events_;
  ChatResponseBuilder rebuilt_;
  ChatResponse response_;
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_TESTS_DOCUMENTS_PLAYED_TURN_H_
