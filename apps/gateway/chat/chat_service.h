#ifndef CURSORWIRE_APPS_GATEWAY_CHAT_CHAT_SERVICE_H_
#define CURSORWIRE_APPS_GATEWAY_CHAT_CHAT_SERVICE_H_

#include <absl/status/status.h>
#include <cursorwire/client.h>
#include <cursorwire/mcp/servers.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "api/api_error.h"
#include "api/chat_request.h"
#include "api/dialog.h"
#include "api/model_map.h"
#include "chat/conversation_cache.h"
#include "chat/live_turn.h"
#include "chat/response_store.h"
#include "http/body_budget.h"
#include "http/event_loop.h"
#include "http/http_exchange.h"
#include "metrics.h"
#include "model_catalog.h"
#include "openai/responses_request.h"

namespace cursor_gateway {

inline constexpr size_t kMaxRunsPerKey = 64;
inline constexpr size_t kMaxRuns = 1024;
inline constexpr size_t kMaxParkedPerKey = 64;
inline constexpr size_t kMaxParked = 1024;
// The bodies of these, half of the room for bodies, so that the results find some; and what the
// service has stored in their conversations.
inline constexpr size_t kMaxParkedBytesPerKey = size_t{64} * 1024 * 1024;
inline constexpr size_t kMaxParkedBytes = size_t{256} * 1024 * 1024;
// Between two looks at what parked turns hold, in which the service may go on storing.
inline constexpr std::chrono::milliseconds kParkedLook{1000};

// Of the turns that wait for results, all or those of a key. A value.
struct ParkedBound {
  size_t turns = 0;
  size_t bytes = 0;
};

struct ChatServiceOptions {
  std::chrono::milliseconds max_idle{600'000};
  std::chrono::milliseconds max_time{3'600'000};
  bool has_workspace = false;
  // Their tools are offered beside those of clients, and called within the turn without a question,
  // since nobody can be asked; nullptr: there are none.
  std::shared_ptr<cursorwire::mcp::Servers> servers{};
  // A turn whose calls were handed out waits for the results. Otherwise it is cancelled, and the
  // request with the results begins another one.
  bool parks = true;
  // Tell the size of the model's context in place of what the turn is charged with.
  bool context_as_prompt = false;
  ModelMap model_map{};
  ParkedBound max_parked{.turns = kMaxParked, .bytes = kMaxParkedBytes};
  ParkedBound max_parked_per_key{.turns = kMaxParkedPerKey, .bytes = kMaxParkedBytesPerKey};
};

// Answers POST /v1/chat/completions and /v1/responses: finds the turn or the conversation that a
// request goes on with, or builds a new one from its messages. On the loop's thread; all that is
// given outlives it.
class ChatService final : public TurnOwner {
 public:
  ChatService(EventLoop& loop, const cursorwire::Client& client, ModelCatalog& catalog,
              Metrics& metrics, StateKeeper& state, ChatServiceOptions options);
  ~ChatService() override;

  // `client_key` names who asks: state belongs to it alone.
  void Complete(const std::shared_ptr<HttpExchange>& exchange, const std::string& client_key);

  // The same for POST /v1/responses and what is below it.
  void Respond(const std::shared_ptr<HttpExchange>& exchange, const std::string& client_key,
               ResponsesPath path);

  // The same for POST /v1/messages, Anthropic's API.
  void AnswerMessages(const std::shared_ptr<HttpExchange>& exchange, const std::string& client_key);

  // Cancels the turns that wait for results, now and from now on.
  void Drain();
  // Ends all turns, and their answers with an error; from now on none begins.
  void EndTurns(const absl::Status& why);
  // No turn goes on, nor what comes after its answer.
  bool idle() const { return turns_.empty(); }

  void OnParked(LiveTurn& turn, const std::vector<std::string>& call_ids) override;
  void OnUnparked(LiveTurn& turn) override;
  void OnComplete(const std::string& key) override;
  void OnEnded(LiveTurn& turn, const std::string& key,
               cursorwire::Conversation conversation) override;

 private:
  struct Job;

  std::shared_ptr<Job> NewJob(HttpExchange& exchange, const std::string& client_key,
                              ChatCompletionRequest request, std::shared_ptr<BodyShare> body,
                              const DialogForm& form = {}) const;
  void RespondKnowing(const std::shared_ptr<HttpExchange>& exchange, const std::string& client_key,
                      nlohmann::json body, const FormerResponses& former, ResponsesPath path,
                      const std::shared_ptr<BodyShare>& share);
  void Choose(const std::shared_ptr<Job>& job);
  void ContinueOrStart(const std::shared_ptr<Job>& job);
  void ChooseFrom(const std::vector<cursorwire::Model>& models, const std::shared_ptr<Job>& job);
  // What a parked turn has to be told beside the results.
  struct News {
    std::string text{};
    bool replaces_rules = false;  // it began with other instructions
  };
  // nullopt: it has another history.
  static std::optional<News> NewsFor(const LiveTurn& parked, const Job& job);
  TurnTerms TermsOf(const Job& job) const;
  // Whether a turn has what the request asks for beside its messages.
  bool Suits(const TurnTerms& parked, const Job& job) const;
  // Goes on with a parked turn. False: this one cannot.
  bool Resume(LiveTurn& parked, Job& job);
  // Cancels turns of the same session that the request shows to be left: the client asks again, not
  // streamed, what is being answered; or it goes on with a history without the calls that it got.
  void CancelLeft(const Job& job);
  // With the first of these conversations that is there, else with a new one.
  void GoOn(const std::shared_ptr<Job>& job, std::vector<std::string> names);
  void GoCold(const std::shared_ptr<Job>& job, HistoryEnd end);
  void StartTurn(const std::shared_ptr<Job>& job, cursorwire::Conversation conversation,
                 std::string taken_key);
  std::shared_ptr<LiveTurn> FindParked(const Job& job) const;
  // Why no turn may begin for the client; nullopt: one may.
  std::optional<ApiError> Refusal(const std::string& client_key) const;
  size_t CountOf(const std::string& client_key) const;
  // Cancels the oldest, as many as are too much, now and again while there are some.
  void BoundParked();

  EventLoop& loop_;
  const cursorwire::Client& client_;
  ModelCatalog& catalog_;
  Metrics& metrics_;
  ChatServiceOptions options_;
  ConversationCache conversations_;
  ResponseStore responses_;
  std::map<LiveTurn*, std::shared_ptr<LiveTurn>> turns_;
  std::map<std::string, LiveTurn*> parked_;  // by the ids of their calls
  EventLoop::Timer parked_timer_;
  bool draining_ = false;
  absl::Status ended_;  // why no turn begins any more
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_CHAT_CHAT_SERVICE_H_
