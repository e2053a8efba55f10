#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_SESSION_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_SESSION_H_

#include <cursorwire/client.h>
#include <cursorwire/conversation.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "chat/turn_host.h"
#include "documents/document_answer.h"
#include "documents/session_handler.h"
#include "http/event_loop.h"
#include "metrics.h"
#include "state/state_keeper.h"

namespace cursor_gateway {

// One conversation whose answers are documents. It has a client of its own, since what the agent
// may do differs from turn to turn.
class DocumentSession final : public TurnHost<DocumentAnswer> {
 public:
  DocumentSession(EventLoop& loop, Metrics& metrics, std::string client_key,
                  std::shared_ptr<SessionHandler> handler, cursorwire::Client client,
                  cursorwire::Conversation conversation);

  const std::string& client_key() const { return client_key_; }
  cursorwire::Conversation& conversation() { return conversation_; }
  // Decides on calls of tools of servers.
  cursorwire::mcp::CallPolicy call_policy() const;
  // A turn goes on, also one whose answer is complete.
  bool busy() const { return busy_; }
  bool answered() const { return answer_ == nullptr; }
  TimePoint used() const { return used_; }
  // The claim of the conversation in the state, while a turn goes on; nullptr: there is none.
  const std::shared_ptr<StateHold>& hold() const { return hold_; }
  void set_hold(std::shared_ptr<StateHold> hold) { hold_ = std::move(hold); }
  // Counts what was written of it there; 0: nothing.
  int64_t revision() const { return revision_; }
  void set_revision(int64_t revision) { revision_ = revision; }

  // Hears of the state of the conversation, and calls `kept` when that is in a safe place or cannot
  // get there.
  enum class Moment {
    kComplete,  // a turn has joined it; the client hears of that once it is kept
    kOver,      // later, behind the service's last state of it
    kFailed,    // a turn is over that did not join it
  };
  using Keep = std::function<void(Moment moment, std::function<void()> kept)>;
  void set_keep(Keep keep) { keep_ = std::move(keep); }

  // Called once, when the turn that goes on is over, in place of the one that was set before;
  // nullptr: nothing is called.
  void OnIdle(std::function<void()> on_idle) { on_idle_ = std::move(on_idle); }
  // Something is called then.
  bool awaited() const { return on_idle_ != nullptr; }

  // A turn begins, whose request is not known yet: Ask() follows, unless `answer` has ended by
  // then. `body` counts the bytes of the request while the turn lives.
  void Begin(std::shared_ptr<DocumentAnswer> answer, std::shared_ptr<void> body);
  // Sends the request of the turn that has begun. `on_id` hears of the id of the conversation when
  // the answer is complete.
  void Ask(const cursorwire::ChatRequest& request, TurnRules rules,
           std::function<void(const std::string& id)> on_id);

  // Tells the service to stop, and the client why.
  void End(const absl::Status& why);

  void OnItem(TurnItem item) override;

 private:
  void OnEvent(TurnEvent event);
  void Show(TurnEvent event);
  void OnKept();
  void Leave() override;
  void OnEnd(const absl::Status& status);
  void BecomeIdle();

  const std::string client_key_;
  std::shared_ptr<SessionHandler> handler_;  // shared with the client
  cursorwire::Client client_;
  cursorwire::Conversation conversation_;
  std::shared_ptr<void> body_;
  std::function<void(const std::string& id)> on_id_;
  std::function<void()> on_idle_;
  Keep keep_;
  std::shared_ptr<StateHold> hold_;
  int64_t revision_ = 0;
  bool complete_ = false;                   // the turn has joined the conversation
  std::optional<TurnEvent> unkept_;         // the end of the turn, until it is kept
  std::optional<absl::Status> unkept_end_;  // what came behind that
  TimePoint used_;
  bool busy_ = false;
  bool asked_ = false;  // Ask() was called of the turn
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_SESSION_H_
