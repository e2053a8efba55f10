#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_SHOWN_ACTIONS_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_SHOWN_ACTIONS_H_

#include <cursorwire/documents/document_event.h>

#include <string>
#include <vector>

#include "documents/session_handler.h"

namespace cursor_gateway {

// The documents of an answer that stand for actions under way: changes of files, commands, and
// looks. Finds the one that a question for approval is about. The question has no id of a call, so
// the document is found by the file or the command. Holds open documents alone, which the builder
// of the answer bounds. Thread-compatible.
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

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_SHOWN_ACTIONS_H_
