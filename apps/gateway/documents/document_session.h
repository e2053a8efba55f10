#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_SESSION_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_SESSION_H_

#include <cursorwire/client.h>
#include <cursorwire/conversation.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "chat/turn_host.h"
#include "documents/document_answer.h"
#include "documents/session_handler.h"
#include "http/body_budget.h"
#include "http/event_loop.h"
#include "metrics.h"
#include "state/state_keeper.h"

namespace cursor_gateway {

// What a claim of a conversation tells others: how long it makes sense to wait for it.
inline constexpr char kNoteBusy[] = "busy";
inline constexpr char kNoteEnding[] = "ending";  // its answer is complete
// The same for how long it lasts without being renewed: longer than kTurnEndWait.
inline constexpr std::chrono::seconds kEndingLease{5};

// One conversation whose answers are documents. It has a client of its own, since what the agent
// may do differs from turn to turn.
//
// It is kept in the state, from which any gateway goes on with it by its id: it is written when a
// turn has joined it, before the client hears of that, and once more with the service's last state
// of it. A turn goes on under a claim, which ends with the second write, or if the turn fails.
class DocumentSession final : public TurnHost<DocumentAnswer> {
 public:
  DocumentSession(EventLoop& loop, Metrics& metrics, StateKeeper& state, std::string client_key,
                  std::shared_ptr<SessionHandler> handler, cursorwire::Client client,
                  cursorwire::Conversation conversation);

  static StateKey KeyOf(const std::string& id) { return {StateKind::kDocument, id}; }

  const std::string& client_key() const { return client_key_; }
  // That of the conversation, as clients know it; empty: no turn has joined it yet.
  const std::string& id() const { return id_; }
  // Decides on calls of tools of servers.
  cursorwire::mcp::CallPolicy call_policy() const;
  // A turn goes on, also one whose answer is complete.
  bool busy() const { return busy_; }
  bool answered() const { return answer_ == nullptr; }
  TimePoint used() const { return used_; }
  // Claims the conversation in the state, for the turn that follows.
  void set_hold(std::shared_ptr<StateHold> hold) { hold_ = std::move(hold); }
  // Counts what was written of it there; 0: nothing. -1: another gateway has gone on with it.
  int64_t revision() const { return revision_; }
  // It was read from there.
  void SetRead(const std::string& id, int64_t revision) {
    id_ = id;
    revision_ = revision;
  }

  // Called each time when a turn is over.
  void OnEachEnd(std::function<void()> on_end) { on_end_ = std::move(on_end); }
  // Called once, when the turn that goes on is over, in place of the one that was set before;
  // nullptr: nothing is called.
  void OnIdle(std::function<void()> on_idle) { on_idle_ = std::move(on_idle); }
  // Something is called then.
  bool awaited() const { return on_idle_ != nullptr; }

  // A turn begins, whose request is not known yet: Ask() follows, unless `answer` has ended by
  // then. `body` counts the bytes of the request while the turn lives.
  void Begin(std::shared_ptr<DocumentAnswer> answer, std::shared_ptr<BodyShare> body);
  // What the agent was told beside what was said, which its state has.
  std::string rules() const { return conversation_.rules(); }
  // What was said in it, and what the service has stored.
  size_t held_bytes() const { return conversation_.bytes().total(); }
  // Sends the request of the turn that has begun.
  void Ask(cursorwire::ChatRequest request, TurnRules rules);

  // Tells the service to stop, and the client why.
  void End(const absl::Status& why) override;

  void OnItem(TurnItem item) override;

 private:
  void OnEvent(TurnEvent event);
  // Questions and plans are shown to the user, who answers in the next message; a plan is accepted
  // if nothing can come of it.
  void Answer(const cursorwire::QuestionAsked& asked) const;
  void Show(TurnEvent event);
  void Keep();
  void Write(StateKeeper::Claimed claimed);
  void OnKept();
  void Leave() override;
  void OnEnd(const absl::Status& status);
  void BecomeIdle();

  StateKeeper& state_;
  const std::string client_key_;
  std::shared_ptr<SessionHandler> handler_;  // shared with the client
  cursorwire::Client client_;
  cursorwire::Conversation conversation_;
  std::shared_ptr<BodyShare> body_;
  cursorwire::AgentMode mode_ = cursorwire::AgentMode::kAgent;  // of the turn
  std::function<void()> on_end_;
  std::function<void()> on_idle_;
  std::string id_;
  std::shared_ptr<StateHold> hold_;  // nullptr: it is not claimed
  int64_t revision_ = 0;
  bool complete_ = false;                   // the turn has joined the conversation
  std::optional<TurnEvent> unkept_;         // the end of the turn, until it is kept
  std::optional<absl::Status> unkept_end_;  // what came after that
  TimePoint used_;
  bool busy_ = false;
  bool asked_ = false;  // Ask() was called of the turn
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_SESSION_H_
