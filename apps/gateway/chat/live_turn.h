#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_LIVE_TURN_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_LIVE_TURN_H_

#include <cursorwire/chat.h>
#include <cursorwire/conversation.h>
#include <cursorwire/mcp/servers.h>
#include <cursorwire/model.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/chat_request.h"
#include "api/conversation_key.h"
#include "api/message.h"
#include "chat/turn_answer.h"
#include "chat/turn_host.h"
#include "http/body_budget.h"
#include "http/event_loop.h"
#include "metrics.h"

namespace cursor_gateway {

// Calls of a round come one by one: how long none must come for the round to be complete.
inline constexpr std::chrono::milliseconds kCallsQuiet{80};
// The same while a call was announced that has not come.
inline constexpr std::chrono::milliseconds kCallsWait{1000};
// Announced, or that came, as far as a turn knows them: as many as an agent may have open.
inline constexpr size_t kMaxKnownCalls = 256;
// How long an answer that has ended waits for the size of the context, if it tells that.
inline constexpr std::chrono::milliseconds kContextWait{500};

class LiveTurn;

// What a turn tells of itself. On the loop's thread.
class TurnOwner {
 public:
  virtual ~TurnOwner() = default;
  // It waits for the results of these calls; they are the ids that the client got.
  virtual void OnParked(LiveTurn& turn, const std::vector<std::string>& call_ids) = 0;
  // It does not wait any more.
  virtual void OnUnparked(LiveTurn& turn) = 0;
  // The answer is complete, and the conversation comes with OnEnded().
  virtual void OnComplete(const std::string& key) = 0;
  // It is over. The conversation goes on from `key`; empty: nobody can go on with it.
  virtual void OnEnded(LiveTurn& turn, const std::string& key,
                       cursorwire::Conversation conversation) = 0;
};

// What a request asks for beside its messages. A turn keeps to it until it ends. A value.
struct TurnTerms {
  cursorwire::ChosenModel model{};
  std::string rules{};            // as of ExtraRules()
  std::set<std::string> tools{};  // functions of the client that are offered
  bool servers = false;           // the tools of servers are offered, too
  // What its state is told beside the rules of the messages: `rules`, and which tools work.
  std::string request_rules{};
};

// One turn of the agent, over all the requests that it takes: it answers one, hands out calls of
// tools at the end of it, waits ("parked") for their results in another one, and goes on.
class LiveTurn final : public TurnHost<TurnAnswer> {
 public:
  struct Start {
    cursorwire::Conversation conversation;
    // Where the conversation goes back to if the turn fails; empty: it is a new one.
    std::string taken_key{};
    // What was said before the answer.
    ConversationKey key;
    std::string said{};  // names the same, whatever the terms are; empty without a session
    TurnTerms terms{};
    std::string client{};               // who asks
    std::string session{};              // the client's own name of it, or empty
    std::shared_ptr<BodyShare> body{};  // counts the bytes of the request, which the turn holds
    bool streams = false;               // the first answer is streamed
    std::shared_ptr<cursorwire::mcp::Servers> servers{};  // as of ChatServiceOptions
    std::string call_prefix = "call_";                    // of the ids that the client gets
    bool parallel_calls = true;
    bool parks = true;               // as of ChatServiceOptions
    bool context_as_prompt = false;  // the same
    std::chrono::milliseconds max_idle{0};
  };

  LiveTurn(EventLoop& loop, Metrics& metrics, TurnOwner& owner, Start start);

  // `tools` become those of the request, before those of the servers.
  void Begin(cursorwire::ChatRequest request, const std::vector<FunctionTool>& tools,
             std::shared_ptr<TurnAnswer> answer);

  // The results of the calls that were handed out, by their ids. `key` is what was said before the
  // new answer; `said` as of Start.
  void Resume(const std::map<std::string, const Message*>& results, ConversationKey key,
              std::string said, bool parallel_calls, std::shared_ptr<TurnAnswer> answer);

  // Nobody goes on with its conversation: its state has other instructions than its name says.
  void LeaveConversation();

  // Tells the service to stop.
  void Cancel();
  // The same, and the client why.
  void End(const absl::Status& why) override;

  const std::string& client() const { return start_.client; }
  const std::string& session() const { return start_.session; }
  // The body of the request that began it, and what the service has stored in its conversation:
  // also while it is parked.
  size_t held_bytes() const;
  bool streams() const { return start_.streams; }
  // What was said before the answer that is made, or that handed out calls; as of Start.
  const std::string& said() const { return start_.said; }
  bool parked() const { return !open_.empty(); }
  // What was said up to and with the calls that were handed out.
  const std::string& parked_key() const { return parked_key_; }
  // Whether these results are those of all the calls that are open.
  bool Covers(const std::map<std::string, const Message*>& results) const;
  const TurnTerms& terms() const { return start_.terms; }
  TimePoint parked_since() const { return parked_since_; }

  void OnItem(TurnItem item) override;

 private:
  struct WaitingCall {
    FunctionCall call;  // with the id that the client gets
    cursorwire::ToolReply reply;
  };

  void Leave() override { Cancel(); }
  void OnEvent(TurnEvent event);
  void OnAnswerEvent(const cursorwire::ChatEvent& event);
  void OnTurnEnded(const cursorwire::TurnEnded& ended);
  void FinishAnswer();
  // Of an answer that ends now; `turn` is what the service says of the tokens of a whole turn.
  AnswerUsage UsageOf(const cursorwire::Usage& turn) const;
  void OnCall(TurnCall call);
  void OnEnd(const absl::Status& status);
  void ArmQuiet();
  void OnQuiet();
  void HandOut();
  void Park(const std::vector<FunctionCall>& calls);
  void StopWaiting();

  TurnOwner& owner_;
  Start start_;
  TimePoint began_;
  std::vector<TurnItem> kept_;                         // came while it was parked
  std::deque<WaitingCall> waiting_;                    // not handed out
  std::map<std::string, cursorwire::ToolReply> open_;  // handed out, without a result
  // What the service may call tools of servers, which are no functions of the client.
  std::set<std::string> served_;
  std::set<std::string> announced_;  // the service's ids of calls to come
  std::set<std::string> arrived_;  // the same of those that came, until they are told as completed
  EventLoop::Timer quiet_timer_;
  std::optional<TimePoint> first_call_;  // of the round
  EventLoop::Timer idle_timer_;          // nobody comes with results
  EventLoop::Timer context_timer_;
  TimePoint parked_since_{};
  std::string parked_key_;
  std::string complete_key_;                // the answer is complete
  std::optional<cursorwire::Usage> ended_;  // the turn has ended, and this is what it took
  std::optional<int64_t> context_tokens_;
  std::optional<int64_t> context_window_;
  bool first_token_seen_ = false;
  bool leaves_conversation_ = false;
  bool cancelled_ = false;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_LIVE_TURN_H_
