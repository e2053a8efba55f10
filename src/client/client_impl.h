#ifndef CURSORWIRE_SRC_CLIENT_CLIENT_IMPL_H_
#define CURSORWIRE_SRC_CLIENT_CLIENT_IMPL_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "channel/loop/deferred_ends.h"
#include "client/conversation/conversation_core.h"
#include "client/turn/chat_sink.h"
#include "client/turn/chat_turn.h"
#include "client/turn/handler_threads.h"
#include "client/turn/token_cell.h"
#include "cursorwire/account_usage.h"
#include "cursorwire/client.h"
#include "cursorwire/connect/channel.h"
#include "cursorwire/model.h"

namespace cursorwire {

// What a Client is. Its conversations start their turns with it. Thread-safe.
class Client::Impl {
 public:
  // `api_endpoint`: empty if the same channel serves it.
  Impl(connect::Channel channel, std::string api_endpoint, AccessToken token,
       const ClientOptions& options);
  ~Impl();

  // A turn of `conversation`; nullptr: of none.
  std::shared_ptr<ChatTurn> Chat(const ChatRequest& request,
                                 std::shared_ptr<ConversationCore> conversation,
                                 std::shared_ptr<ChatSink> sink);
  // A turn that ends with `why` at once.
  static std::shared_ptr<ChatTurn> Refuse(const absl::Status& why, std::shared_ptr<ChatSink> sink);
  std::map<std::string, uint64_t> DriftCounts() const { return run_options_->drift->Counts(); }
  absl::StatusOr<ModelList> ListModels(const std::stop_token& stop);
  absl::StatusOr<AccountUsage> GetUsage(const std::stop_token& stop);

 private:
  // Created on first use, since most clients never need that host and it takes a thread. It is
  // kept.
  absl::StatusOr<const connect::Channel*> ApiChannel();
  absl::StatusOr<AccountUsage> AskUsage(const connect::Channel& api, const std::string& token,
                                        const std::stop_token& stop);
  // Whether there is another token in place of one that was refused. May wait for it, until `stop`.
  bool ReplaceToken(const absl::Status& refusal, const std::string& refused,
                    const std::stop_token& stop);
  // Starts to renew a token that ends soon; nobody waits for it.
  void RenewToken();
  TurnParts PartsFor(const ChatRequest& request) const;
  void TellOfAttachments(const ChatRequest& request) const;

  const std::shared_ptr<ExecHandler> exec_handler_;
  const std::shared_ptr<QueryHandler> query_handler_;
  const std::shared_ptr<HandlerThreads> threads_;  // shared with the turns
  const std::shared_ptr<connect::internal::DeferredEnds> late_;
  const std::shared_ptr<TokenCell> tokens_;  // shared with the turns
  const std::string api_endpoint_;
  const connect::ChannelOptions channel_options_;
  const std::shared_ptr<const RunOptions> run_options_;  // shared with the turns
  const std::shared_ptr<IdSource> ids_;                  // the user may share it between clients
  const RetryPolicy retry_;
  // Shared with everything that the channel's thread may still call.
  std::shared_ptr<const void> life_;
  std::mutex api_mutex_;
  std::optional<connect::Channel> api_channel_ ABSL_GUARDED_BY(api_mutex_);
  std::optional<connect::Channel> channel_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_CLIENT_IMPL_H_
