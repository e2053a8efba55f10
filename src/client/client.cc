#include "cursorwire/client.h"

#include <absl/base/thread_annotations.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "client/async_chat_events.h"
#include "client/chat_stream_events.h"
#include "client/chat_turn.h"
#include "client/endpoint.h"
#include "client/handler_threads.h"
#include "client/model_fetch.h"
#include "client/observed_chat.h"
#include "client/surroundings.h"
#include "cursorwire/connect/channel.h"
#include "cursorwire/drift_log.h"

namespace cursorwire {
namespace {

constexpr char kTokenVariable[] = "CURSOR_ACCESS_TOKEN";

// Visible ASCII is allowed in a header. The token itself must not appear in an error message.
bool IsHeaderSafe(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c <= 0x7E; });
}

absl::Status CheckToken(const std::string& token) {
  if (token.empty()) {
    return LocalError(absl::StatusCode::kUnauthenticated,
                      "no access token: set CURSOR_ACCESS_TOKEN to the access token of your own "
                      "Cursor account (the Cursor CLI keeps it after its login)");
  }
  if (!IsHeaderSafe(token)) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "the access token has characters that no token has (a line break?)");
  }
  return absl::OkStatus();
}

Environment EnvironmentOf(const ClientOptions& options) {
  if (options.environment) return *options.environment;
  Environment environment = DetectEnvironment();
  if (options.exec_handler != nullptr) options.exec_handler->Describe(environment);
  return environment;
}

}  // namespace

class Client::Impl {
 public:
  // `api_endpoint`: empty if the same channel serves it.
  Impl(connect::Channel channel, std::string api_endpoint, const ClientOptions& options)
      : exec_handler_(options.exec_handler),
        query_handler_(options.query_handler),
        channel_(std::move(channel)),
        api_endpoint_(std::move(api_endpoint)),
        channel_options_(options.channel),
        run_options_{.token = options.token,
                     .client_version = options.client_version,
                     .ghost_mode = options.ghost_mode,
                     .heartbeat_interval = options.heartbeat_interval,
                     .extra_headers = options.extra_headers,
                     .environment = EnvironmentOf(options),
                     .hand_out_execs = exec_handler_ != nullptr,
                     .hand_out_queries = query_handler_ != nullptr,
                     .watchdog = options.watchdog,
                     .drift = std::make_shared<DriftLog>()},
        ids_(options.ids == nullptr ? RandomIds() : options.ids) {}

  std::shared_ptr<ChatTurn> Chat(const ChatRequest& request, std::shared_ptr<ChatSink> sink) const {
    Run run(request, run_options_, *ids_, std::chrono::steady_clock::now());
    const connect::CallRequest call_request = run.call_request();
    const bool ended = run.ended();
    auto turn = std::make_shared<ChatTurn>(
        std::move(run), Handlers(threads_, exec_handler_, query_handler_, request.tools),
        std::move(sink));
    if (ended) {
      turn->EndWithoutCall();
    } else {
      turn->set_call(channel_.Start(call_request, turn));
    }
    return turn;
  }

  std::map<std::string, uint64_t> DriftCounts() const { return run_options_.drift->Counts(); }

  absl::StatusOr<ModelList> ListModels() const {
    const absl::StatusOr<const connect::Channel*> api = ApiChannel();
    if (!api.ok()) return api.status();
    return FetchModels({.agent = channel_, .api = **api}, run_options_, *ids_);
  }

 private:
  // Created on first use, since most clients never need that host and it takes a thread. It is
  // kept.
  absl::StatusOr<const connect::Channel*> ApiChannel() const {
    if (api_endpoint_.empty()) return &channel_;
    const std::lock_guard lock(api_mutex_);
    if (!api_channel_) {
      absl::StatusOr<connect::Channel> created =
          connect::Channel::Create(api_endpoint_, channel_options_);
      if (!created.ok()) return created.status();
      api_channel_ = *std::move(created);
    }
    return &*api_channel_;
  }

  const std::shared_ptr<ExecHandler> exec_handler_;
  const std::shared_ptr<QueryHandler> query_handler_;
  mutable HandlerThreads threads_;  // outlives the calls, which end with the channel
  connect::Channel channel_;
  const std::string api_endpoint_;
  const connect::ChannelOptions channel_options_;
  mutable std::mutex api_mutex_;
  mutable std::optional<connect::Channel> api_channel_ ABSL_GUARDED_BY(api_mutex_);
  const RunOptions run_options_;
  const std::shared_ptr<IdSource> ids_;  // the user may share it between clients
};

absl::StatusOr<Client> Client::Create(ClientOptions options) {
  const Surroundings surroundings = ProcessSurroundings();
  const absl::StatusOr<std::string> endpoint = ResolveAgentEndpoint(options.endpoint, surroundings);
  if (!endpoint.ok()) return endpoint.status();
  const absl::StatusOr<std::string> api_endpoint =
      ResolveApiEndpoint(options.api_endpoint, *endpoint, surroundings);
  if (!api_endpoint.ok()) return api_endpoint.status();
  if (options.token.empty()) options.token = surroundings.variable(kTokenVariable);
  if (absl::Status status = CheckToken(options.token); !status.ok()) return status;
  if (options.heartbeat_interval.count() < 0) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "heartbeat_interval must not be negative; 0 sends none");
  }
  absl::StatusOr<connect::Channel> channel = connect::Channel::Create(*endpoint, options.channel);
  if (!channel.ok()) return channel.status();
  return Client(std::make_unique<Impl>(*std::move(channel),
                                       *api_endpoint == *endpoint ? "" : *api_endpoint, options));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

ChatStream Client::Chat(const ChatRequest& request) const {
  auto events = std::make_shared<ChatStream::Events>();
  return ChatStream(impl_->Chat(request, events), events);
}

ChatCall Client::Chat(const ChatRequest& request, std::shared_ptr<ChatObserver> observer) const {
  return ChatCall(impl_->Chat(request, std::make_shared<ObservedChat>(std::move(observer))));
}

AsyncChat Client::ChatAsync(const ChatRequest& request, connect::Executor executor) const {
  auto events = std::make_shared<AsyncChat::Events>(std::move(executor));
  return {impl_->Chat(request, events), events};
}

std::map<std::string, uint64_t> Client::DriftCounts() const { return impl_->DriftCounts(); }

absl::StatusOr<ModelList> Client::ListModels() const { return impl_->ListModels(); }

}  // namespace cursorwire
