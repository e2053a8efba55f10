#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_ANSWER_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_ANSWER_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>
#include <cursorwire/documents/builder.h>
#include <cursorwire/documents/document_event.h>
#include <cursorwire/documents/event_format.h>
#include <cursorwire/documents/response.h>
#include <cursorwire/query.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "chat/event_stream.h"
#include "documents/document_request.h"
#include "documents/session_handler.h"
#include "http/event_loop.h"
#include "http/http_exchange.h"

namespace cursor_gateway {

// Documents among which that of a question is looked for; a later one makes the oldest give way.
inline constexpr size_t kMaxShownActions = 256;

// The documents of an answer that stand for actions under way: changes of files, commands, and
// looks. Finds the one that a question for approval is about. The question has no id of a call, so
// the document is found by the file or the command. Holds open documents alone.
// Thread-compatible.
class ShownActions {
 public:
  void Add(const cursorwire::documents::DocumentEvent& event);

  // The id of the document, which no other question gets; empty: none fits.
  std::string Take(const ApprovalQuestion& question);

 private:
  struct Action {
    std::string document_id{};
    bool is_command = false;
    bool is_look = false;
    std::string subject{};  // path or command; empty: not known yet
  };

  std::vector<Action> actions_;  // oldest first
};

// The answer to one request as documents: one ChatResponse, or its events. On the loop's thread.
class DocumentAnswer final : public EventStream {
 public:
  DocumentAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                 const DocumentRequest& request);

  void set_conversation_id(std::string id) { builder_.set_conversation_id(std::move(id)); }

  void Add(const cursorwire::ChatEvent& event);
  void AddApproval(const ApprovalQuestion& question);
  // The turn has ended. An error before anything was shown is one of the API.
  void Finish(const absl::Status& status);

 private:
  void AnswerWhole(const cursorwire::documents::ChatResponse& response);
  void Show(const std::vector<cursorwire::documents::DocumentEvent>& events);
  // An event of the gateway's own, which says nothing of documents.
  void WriteOwn(const char* name, nlohmann::json members);

  bool streams_ = false;
  bool thinking_ = false;
  cursorwire::documents::EventFormat format_;
  cursorwire::documents::Builder builder_;
  ShownActions actions_;
  bool shown_ = false;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_ANSWER_H_
