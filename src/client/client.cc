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
#include <variant>

#include "agent/events/error_message.h"
#include "base/error.h"
#include "client/auth/usage_json.h"
#include "client/client_impl.h"
#include "client/machine/client_version.h"
#include "client/machine/endpoint.h"
#include "client/machine/process_environment.h"
#include "client/model_fetch.h"
#include "client/turn/chat_turn.h"
#include "client/turn/recovery.h"
#include "client/waiting/async_chat_events.h"
#include "client/waiting/chat_stream_events.h"
#include "client/waiting/observed_chat.h"
#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/redactor.h"
#include "cursorwire/conversation.h"
#include "cursorwire/credentials.h"
#include "cursorwire/run_options.h"
#include "cursorwire/trace.h"

namespace cursorwire {
namespace {

constexpr char kUsageMethod[] = "/aiserver.v1.DashboardService/GetCurrentPeriodUsage";
constexpr std::chrono::seconds kUsageTimeout{10};

absl::Status CheckRetry(const RetryPolicy& retry) {
  if (retry.max_retries >= 0 && retry.first_delay.count() >= 0 && retry.max_delay.count() >= 0) {
    return absl::OkStatus();
  }
  return LocalError(absl::StatusCode::kInvalidArgument,
                    "numbers and times of RetryPolicy must not be negative; 0 retries mean none");
}

absl::Status AskStopped() { return LocalError(absl::StatusCode::kCancelled, "stopped"); }

absl::StatusOr<std::shared_ptr<TokenSource>> FindLogin(const ClientOptions& options) {
  if (options.token_places.empty()) {
    return LocalError(absl::StatusCode::kUnauthenticated,
                      "no token, no token_source and no token_places are given");
  }
  return Credentials::Create({.places = options.token_places,
                              .endpoint = options.endpoint,
                              .api_endpoint = options.api_endpoint,
                              .channel = options.channel});
}

// Finds the source of tokens, too, where there is none.
absl::StatusOr<AccessToken> FirstToken(ClientOptions& options, const std::stop_token& stop) {
  if (options.token_source == nullptr) {
    if (!options.token.empty()) return AccessToken{.token = options.token};
    absl::StatusOr<std::shared_ptr<TokenSource>> login = FindLogin(options);
    if (!login.ok()) return login.status();
    options.token_source = *std::move(login);
  }
  return options.token_source->GetToken(stop);
}

absl::Status SetClientVersion(ClientOptions& options,
                              const ProcessEnvironment& process_environment) {
  if (!options.client_version.empty()) {
    return CheckClientVersion(options.client_version, "the client version");
  }
  absl::StatusOr<ClientVersion> found = FindClientVersion(process_environment);
  if (found.ok()) options.client_version = std::move(found->version);
  return found.status();
}

Environment EnvironmentOf(const ClientOptions& options) {
  if (options.environment) return *options.environment;
  Environment environment = DetectEnvironment();
  if (options.exec_handler != nullptr) options.exec_handler->Describe(environment);
  return environment;
}

}  // namespace

Client::Impl::Impl(connect::Channel channel, std::string api_endpoint, AccessToken token,
                   const ClientOptions& options)
    : exec_handler_(options.exec_handler),
      query_handler_(options.query_handler),
      threads_(std::make_shared<HandlerThreads>()),
      late_(std::make_shared<connect::internal::DeferredEnds>()),
      tokens_(std::make_shared<TokenCell>(std::move(token), options.token_source)),
      api_endpoint_(std::move(api_endpoint)),
      channel_options_(options.channel),
      run_options_(std::make_shared<const RunOptions>(
          RunOptions{.token = options.token,
                     .client_version = options.client_version,
                     .ghost_mode = options.ghost_mode,
                     .heartbeat_interval = options.heartbeat_interval,
                     .extra_headers = options.extra_headers,
                     .environment = EnvironmentOf(options),
                     .hand_out_execs = exec_handler_ != nullptr,
                     .hand_out_queries = query_handler_ != nullptr,
                     .watchdog = options.watchdog,
                     .drift = std::make_shared<DriftLog>()})),
      ids_(options.ids == nullptr ? RandomIds() : options.ids),
      retry_(options.retry),
      life_(std::make_shared<int>()),
      channel_(std::move(channel)) {}

Client::Impl::~Impl() {
  tokens_->StopRenewals();
  channel_.reset();
  // Where the client is destroyed in a callback, its turns end later, and stop their work then.
  if (life_.use_count() == 1) threads_->Stop();
}

TurnParts Client::Impl::PartsFor(const ChatRequest& request) const {
  return {.run_options = run_options_,
          .ids = ids_,
          .retry = retry_,
          .handlers = Handlers(threads_, exec_handler_, query_handler_, request.tools),
          .threads = threads_,
          .tokens = tokens_,
          .late = late_,
          .life = life_};
}

void Client::Impl::TellOfAttachments(const ChatRequest& request) const {
  if (exec_handler_ == nullptr) return;
  for (const Attachment& attachment : request.attachments) {
    const auto* file = std::get_if<AttachedFile>(&attachment);
    if (file != nullptr) exec_handler_->OnAttached(*file);
  }
}

std::shared_ptr<ChatTurn> Client::Impl::Chat(const ChatRequest& request,
                                             std::shared_ptr<ConversationCore> conversation,
                                             std::shared_ptr<ChatSink> sink) {
  absl::StatusOr<ConversationCore::Start> start = ConversationCore::Start();
  if (conversation == nullptr) {
    start->conversation.blobs = std::make_shared<MemoryBlobStore>();
  } else {
    start = conversation->Begin(request);
    if (!start.ok()) conversation = nullptr;
  }
  const absl::Status status = start.status();
  if (status.ok()) TellOfAttachments(request);
  RenewToken();
  auto turn = std::make_shared<ChatTurn>(request, PartsFor(request), std::move(conversation),
                                         start.ok() ? *std::move(start) : ConversationCore::Start(),
                                         std::move(sink));
  if (status.ok()) {
    turn->Start(*channel_);
  } else {
    turn->Refuse(status);
  }
  return turn;
}

void Client::Impl::RenewToken() {
  if (!tokens_->StartsRenewal(std::chrono::system_clock::now())) return;
  // Where no thread can be had, the service will refuse the token in time.
  (void)threads_->Post([tokens = tokens_] { tokens->RenewInBackground(); });
}

std::shared_ptr<ChatTurn> Client::Impl::Refuse(const absl::Status& why,
                                               std::shared_ptr<ChatSink> sink) {
  TurnParts parts{.run_options = std::make_shared<const RunOptions>(),
                  .ids = RandomIds(),
                  .handlers = Handlers(nullptr, nullptr, nullptr, ToolRegistry()),
                  .threads = nullptr,
                  .tokens = std::make_shared<TokenCell>(AccessToken(), nullptr),
                  .late = std::make_shared<connect::internal::DeferredEnds>()};
  auto turn = std::make_shared<ChatTurn>(ChatRequest(), std::move(parts), nullptr,
                                         ConversationCore::Start(), std::move(sink));
  turn->Refuse(why);
  return turn;
}

absl::StatusOr<ModelList> Client::Impl::ListModels(const std::stop_token& stop) {
  const absl::StatusOr<const connect::Channel*> api = ApiChannel();
  if (!api.ok()) return api.status();
  RunOptions options = *run_options_;
  options.token = tokens_->token();
  const ModelHosts hosts{.agent = *channel_, .api = **api};
  absl::StatusOr<ModelList> models = FetchModels(hosts, options, *ids_, stop);
  if (!ReplaceToken(models.status(), options.token, stop)) {
    return models.ok() || !stop.stop_requested() ? models : AskStopped();
  }
  options.token = tokens_->token();
  return FetchModels(hosts, options, *ids_, stop);
}

bool Client::Impl::ReplaceToken(const absl::Status& refusal, const std::string& refused,
                                const std::stop_token& stop) {
  return !stop.stop_requested() && IsTokenRefused(refusal) && tokens_->Replace(refused, stop);
}

absl::StatusOr<AccountUsage> Client::Impl::GetUsage(const std::stop_token& stop) {
  const absl::StatusOr<const connect::Channel*> api = ApiChannel();
  if (!api.ok()) return api.status();
  const std::string token = tokens_->token();
  absl::StatusOr<AccountUsage> usage = AskUsage(**api, token, stop);
  if (!ReplaceToken(usage.status(), token, stop)) {
    return usage.ok() || !stop.stop_requested() ? usage : AskStopped();
  }
  return AskUsage(**api, tokens_->token(), stop);
}

absl::StatusOr<AccountUsage> Client::Impl::AskUsage(const connect::Channel& api,
                                                    const std::string& token,
                                                    const std::stop_token& stop) {
  connect::CallOptions options{.headers = {{"authorization", "Bearer " + token}},
                               .codec = connect::Codec::kJson,
                               .timeout = kUsageTimeout};
  for (const connect::Header& header : run_options_->extra_headers) {
    options.headers.Add(header.name, header.value);
  }
  connect::Stream stream = api.OpenStream(
      {.path = kUsageMethod, .kind = connect::CallKind::kUnary, .options = std::move(options)});
  const std::stop_callback cancel(stop, [&stream] { stream.Cancel(); });
  (void)stream.Send("{}");  // if the call has ended, what follows says why
  const absl::StatusOr<connect::UnaryResponse> answer = stream.CloseAndReceive();
  const connect::Redactor redactor({token});
  if (!answer.ok()) return redactor.Redact(agent::WithErrorDetails(answer.status()));
  return ParseAccountUsage(answer->message);
}

absl::StatusOr<const connect::Channel*> Client::Impl::ApiChannel() {
  if (api_endpoint_.empty()) return &*channel_;
  const std::lock_guard lock(api_mutex_);
  if (!api_channel_) {
    absl::StatusOr<connect::Channel> created =
        connect::Channel::Create(api_endpoint_, channel_options_);
    if (!created.ok()) return created.status();
    api_channel_ = *std::move(created);
  }
  return &*api_channel_;
}

absl::StatusOr<Client> Client::Create(ClientOptions options, const std::stop_token& stop) {
  const ProcessEnvironment process_environment = ReadProcessEnvironment();
  const absl::StatusOr<std::string> endpoint =
      ResolveAgentEndpoint(options.endpoint, process_environment);
  if (!endpoint.ok()) return endpoint.status();
  const absl::StatusOr<std::string> api_endpoint =
      ResolveApiEndpoint(options.api_endpoint, *endpoint, process_environment);
  if (!api_endpoint.ok()) return api_endpoint.status();
  absl::StatusOr<AccessToken> token = FirstToken(options, stop);
  if (!token.ok()) return token.status();
  options.token = token->token;
  if (absl::Status status = CheckToken(options.token); !status.ok()) return status;
  if (absl::Status status = SetClientVersion(options, process_environment); !status.ok())
    return status;
  if (absl::Status status = CheckRetry(options.retry); !status.ok()) return status;
  KeepTokensReadableHereAlone(options.channel);
  if (options.heartbeat_interval.count() < 0) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "heartbeat_interval must not be negative; 0 sends none");
  }
  if (options.trace != nullptr) options.channel.interceptors.push_back(options.trace);
  absl::StatusOr<connect::Channel> channel = connect::Channel::Create(*endpoint, options.channel);
  if (!channel.ok()) return channel.status();
  return Client(std::make_shared<Impl>(*std::move(channel),
                                       *api_endpoint == *endpoint ? "" : *api_endpoint,
                                       *std::move(token), options));
}

Client::Client(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Conversation Client::NewConversation() const { return NewConversation(ConversationOptions()); }

Conversation Client::NewConversation(const ConversationOptions& options) const {
  return Conversation(impl_, std::make_shared<ConversationCore>(options));
}

ChatStream Client::Chat(const ChatRequest& request) const {
  auto events = std::make_shared<ChatStream::Events>();
  return ChatStream(impl_->Chat(request, nullptr, events), events);
}

ChatCall Client::Chat(const ChatRequest& request, std::shared_ptr<ChatObserver> observer) const {
  return ChatCall(
      impl_->Chat(request, nullptr, std::make_shared<ObservedChat>(std::move(observer))));
}

AsyncChat Client::ChatAsync(const ChatRequest& request, connect::Executor executor) const {
  auto events = std::make_shared<AsyncChat::Events>(std::move(executor));
  return {impl_->Chat(request, nullptr, events), events};
}

std::map<std::string, uint64_t> Client::DriftCounts() const { return impl_->DriftCounts(); }

absl::StatusOr<ModelList> Client::ListModels(const std::stop_token& stop) const {
  return impl_->ListModels(stop);
}

absl::StatusOr<AccountUsage> Client::GetUsage(const std::stop_token& stop) const {
  return impl_->GetUsage(stop);
}

}  // namespace cursorwire
