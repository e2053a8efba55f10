#include "documents/document_service.h"

#include <cursorwire/context/add_context.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "api/api_error.h"
#include "api/dialog.h"
#include "api/json_text.h"
#include "api/model_list.h"
#include "chat/conversation_cache.h"
#include "common/start_thread.h"
#include "error_answer.h"

namespace cursor_gateway {
namespace {

constexpr std::string_view kConversationPrefix = "conv_";
// There is no conversation of a longer one; databases have bounds of their own for keys.
constexpr size_t kMaxConversationIdBytes = 255;

absl::Status UnknownConversation() {
  return RequestError(404, "there is no such conversation", "conversationId",
                      "conversation_not_found");
}

absl::Status BusyConversation() {
  return RequestError(409, "this conversation is being answered; wait for its end",
                      "conversationId");
}

absl::Status TooManyConversations() {
  return ToStatus({.status = 429,
                   .type = "rate_limit_error",
                   .code = "rate_limit_exceeded",
                   .message = "too many conversations are being answered; try again later",
                   .retry_after_seconds = 1});
}

// What the client's editor shows, and what was read of the folder of --workspace. Its names are
// told to those alone whose agent may list it.
WorkspaceContext::Context ContextOf(const DocumentRequest& request,
                                    const WorkspaceContext::Context& read) {
  WorkspaceContext::Context context = request.context;
  context.rules = read.rules;
  context.git_repositories = read.git_repositories;
  for (const cursorwire::LsFolder& layout : read.project_layouts) {
    const auto asks = request.tools.Check(ActionKind::kList, layout.path, layout.path);
    if (asks.ok() && !*asks) context.project_layouts.push_back(layout);
  }
  return context;
}

}  // namespace

// One request on its way to a turn: with its exchange, and later with its answer.
struct DocumentService::Job {
  std::shared_ptr<BodyShare> body;  // counts its bytes
  std::string client_key;
  DocumentRequest request;
  Dialog dialog;
  std::string id{};  // of the conversation that goes on
  std::shared_ptr<HttpExchange> exchange;
  bool gone = false;            // the client left before there was an answer
  TimePoint patience{};         // until which it waits for the end of another turn
  bool wants_whole = false;     // the entry of the conversation, whatever is known of it
  int64_t known_revision = -1;  // of the session when it was claimed; -1: the entry comes whole
  std::shared_ptr<DocumentAnswer> answer;

  void Fail(const absl::Status& status) const { exchange->Answer(ErrorAnswer(ApiErrorOf(status))); }
};

DocumentService::DocumentService(EventLoop& loop, Metrics& metrics, StateKeeper& state,
                                 DocumentServiceOptions options)
    : loop_(loop),
      metrics_(metrics),
      options_(std::move(options)),
      workspace_(loop, options_.allow.read ? options_.workspace : "", options_.read_workspace,
                 options_.log),
      state_(state) {}

DocumentService::~DocumentService() {
  if (closer_.joinable()) closer_.join();
}

void DocumentService::Complete(std::shared_ptr<HttpExchange> exchange,
                               const std::string& client_key, Path path) {
  const auto job = std::make_shared<Job>();
  job->client_key = client_key;
  job->exchange = std::move(exchange);
  absl::StatusOr<DocumentRequest> request = ReadDocumentRequest(job->exchange->body());
  if (!request.ok()) return job->Fail(request.status());
  job->body = job->exchange->DropBody();
  if (path == Path::kPlan) request->mode = cursorwire::AgentMode::kPlan;
  if (const std::string* accept = job->exchange->head().Find("accept");
      accept != nullptr && accept->find("text/event-stream") != std::string::npos) {
    request->stream = true;
  }
  absl::StatusOr<Dialog> dialog = SplitDialog(request->messages);
  if (!dialog.ok()) return job->Fail(dialog.status());
  request->messages.clear();
  job->request = *std::move(request);
  job->dialog = *std::move(dialog);
  job->id = job->request.conversation_id;
  if (job->id.empty()) return Begin(job);
  if (job->id.starts_with(kConversationPrefix)) job->id.erase(0, kConversationPrefix.size());
  if (job->id.empty() || job->id.size() > kMaxConversationIdBytes) {
    return job->Fail(UnknownConversation());
  }
  const std::shared_ptr<DocumentSession> session = FindSession(job->id);
  if (session != nullptr && session->client_key() != client_key) {
    return job->Fail(UnknownConversation());
  }
  if (session == nullptr || !session->busy()) return GoOn(job);
  if (!session->answered() || session->awaited()) return job->Fail(BusyConversation());
  // The rest of the state of the turn before is on its way. One request can wait for it.
  job->exchange->OnGone([weak = std::weak_ptr(session)] {
    if (const auto alive = weak.lock()) alive->OnIdle(nullptr);
  });
  session->OnIdle([this, job] {
    job->exchange->OnGone(nullptr);
    GoOn(job);
  });
}

void DocumentService::Begin(const std::shared_ptr<Job>& job) {
  if (absl::Status may = MayBegin(job->client_key); !may.ok()) return job->Fail(may);
  const auto make =
      [&job](const cursorwire::Client& client) -> absl::StatusOr<cursorwire::Conversation> {
    cursorwire::Conversation conversation = client.NewConversation(CompletedTurns());
    absl::Status status = conversation.SetHistory(HistoryOf(job->dialog, HistoryEnd::kWithResults));
    if (!status.ok()) return status;
    return conversation;
  };
  absl::StatusOr<std::shared_ptr<DocumentSession>> session = NewSession(job->client_key, make);
  if (!session.ok()) return job->Fail(session.status());
  Ask(job, *session);
}

std::shared_ptr<DocumentSession> DocumentService::FindSession(const std::string& id) const {
  const auto it = std::find_if(sessions_.begin(), sessions_.end(),
                               [&id](const auto& session) { return session->id() == id; });
  return it == sessions_.end() ? nullptr : *it;
}

void DocumentService::GoOn(const std::shared_ptr<Job>& job) {
  job->patience = loop_.Now() + kClaimPatience;
  job->exchange->OnGone([weak = std::weak_ptr(job)] {
    if (const auto alive = weak.lock()) alive->gone = true;
  });
  Claim(job);
}

void DocumentService::Claim(const std::shared_ptr<Job>& job) {
  const std::shared_ptr<DocumentSession> session = FindSession(job->id);
  job->known_revision = session == nullptr || job->wants_whole ? -1 : session->revision();
  state_.Claim(
      DocumentSession::KeyOf(job->id), kNoteBusy, kClaimLease, job->known_revision,
      [this, job](absl::StatusOr<StateClaimed> claimed) { OnClaimed(job, std::move(claimed)); });
}

void DocumentService::OnClaimed(const std::shared_ptr<Job>& job,
                                absl::StatusOr<StateClaimed> claimed) {
  if (job->gone) return;
  std::shared_ptr<DocumentSession> session = FindSession(job->id);
  // It may have come meanwhile.
  if (session != nullptr && session->client_key() != job->client_key) {
    return job->Fail(UnknownConversation());
  }
  if (session != nullptr && session->busy()) return job->Fail(BusyConversation());
  if (absl::Status may = MayBegin(job->client_key); !may.ok()) return job->Fail(may);
  if (!claimed.ok())
    return session == nullptr ? job->Fail(ToStatus(StateIsAway("conversationId")))
                              : Ask(job, session);
  if (claimed->hold == nullptr) {
    if (claimed->note != kNoteEnding || loop_.Now() >= job->patience) {
      return job->Fail(BusyConversation());
    }
    claiming_[job] = loop_.After(kClaimPause, [this, job] {
      claiming_.erase(job);
      if (!job->gone) Claim(job);
    });
    return;
  }
  std::optional<StateEntry>& entry = claimed->entry;
  if (entry && entry->owner != job->client_key) return job->Fail(UnknownConversation());
  if (entry && (session == nullptr || entry->revision > session->revision())) {
    if (entry->value.empty() && job->known_revision >= 0) {
      // What it was known by has been forgotten meanwhile.
      claimed->hold.reset();
      job->wants_whole = true;
      return Claim(job);
    }
    absl::StatusOr<std::shared_ptr<DocumentSession>> loaded = Load(job, *std::move(entry));
    if (!loaded.ok()) return job->Fail(loaded.status());
    session = *std::move(loaded);
  }
  if (session == nullptr) return job->Fail(UnknownConversation());
  session->set_hold(std::move(claimed->hold));
  Ask(job, session);
}

// Another gateway went on with it, or this one has forgotten it.
absl::StatusOr<std::shared_ptr<DocumentSession>> DocumentService::Load(
    const std::shared_ptr<Job>& job, StateEntry entry) {
  if (entry.value.empty()) {
    state_.CountError();
    return UnknownConversation();
  }
  const cursorwire::SavedConversation saved{.bytes = std::move(entry.value),
                                            .blobs = std::move(entry.blobs)};
  absl::Status damage;
  const auto make = [&](const cursorwire::Client& client) {
    auto conversation = cursorwire::Conversation::Deserialize(client, saved, CompletedTurns());
    damage = conversation.status();
    return conversation;
  };
  absl::StatusOr<std::shared_ptr<DocumentSession>> session = NewSession(job->client_key, make);
  if (!damage.ok()) {
    state_.CountError();
    return UnknownConversation();
  }
  if (!session.ok()) return session.status();
  const std::shared_ptr<DocumentSession> former = FindSession(job->id);
  if (former != nullptr) {
    std::erase(sessions_, former);
    Close({former});
  }
  (*session)->SetRead(job->id, entry.revision);
  return session;
}

absl::StatusOr<std::shared_ptr<DocumentSession>> DocumentService::NewSession(
    const std::string& client_key, const MakeConversation& make) {
  absl::StatusOr<std::shared_ptr<SessionHandler>> handler =
      SessionHandler::Create({.workspace = options_.workspace,
                              .code_files = options_.code_files,
                              .variables = options_.variables,
                              .allow = options_.allow,
                              .sandbox = options_.sandbox,
                              .client_key = client_key,
                              .max_idle = options_.max_idle},
                             approvals_);
  if (!handler.ok()) return handler.status();
  absl::StatusOr<cursorwire::Client> client =
      options_.make_client(SessionHandler::ActionsOf(*handler));
  if (!client.ok()) return client.status();
  absl::StatusOr<cursorwire::Conversation> conversation = make(*client);
  if (!conversation.ok()) return conversation.status();
  const auto session =
      std::make_shared<DocumentSession>(loop_, metrics_, state_, client_key, *std::move(handler),
                                        *std::move(client), *std::move(conversation));
  // Not within the session, which may be closed.
  session->OnEachEnd(
      [this] { room_timer_ = loop_.After(std::chrono::milliseconds(0), [this] { MakeRoom(); }); });
  return sessions_.emplace_back(session);
}

void DocumentService::Ask(const std::shared_ptr<Job>& job,
                          const std::shared_ptr<DocumentSession>& session) {
  job->answer = std::make_shared<DocumentAnswer>(loop_, std::move(job->exchange), job->request);
  session->Begin(job->answer, std::move(job->body));
  workspace_.Read([this, job, session](const WorkspaceContext::Context& read) {
    if (job->answer->ended()) return;
    if (loop_.Call([&] { Send(*job, session, read); })) return;
    session->End(ToStatus(OwnFailure()));
  });
}

void DocumentService::Send(const Job& job, const std::shared_ptr<DocumentSession>& session,
                           const WorkspaceContext::Context& read) {
  cursorwire::ChatRequest request{.prompt = PromptOf(job.dialog),
                                  .model = SentModel(options_.model_map.Find(job.request.model)),
                                  .system = job.dialog.rules,
                                  .mode = job.request.mode};
  // The agent is told what of it does not fit.
  (void)cursorwire::context::AddContext(ContextOf(job.request, read), request,
                                        {.max_instruction_bytes = kMaxContextRuleBytes});
  // Only what is new is told: the conversation would begin anew, under another id, without them.
  if (request.system.empty()) request.system = session->rules();
  request.images = ImagesOf(job.dialog);
  if (options_.servers != nullptr && options_.allow.read && MayAct(job.request.mode)) {
    options_.servers->AddTools(request.tools, session->call_policy());
  }
  request.timeout = options_.max_time;
  TurnRules rules{.mode = job.request.mode, .tools = job.request.tools};
  if (job.request.stream) rules.ask = [](const ApprovalQuestion&) {};
  session->Ask(std::move(request), std::move(rules));
}

absl::Status DocumentService::MayBegin(const std::string& client_key) const {
  if (!ended_.ok()) return ended_;
  size_t all = 0;
  size_t own = 0;
  for (const auto& session : sessions_) {
    if (!session->busy()) continue;
    ++all;
    if (session->client_key() == client_key) ++own;
  }
  // Without keys everybody is one client, whom the bound of all is enough for.
  const bool too_many_of_key = !client_key.empty() && own >= kMaxDocumentsPerKey;
  return all >= kMaxDocuments || too_many_of_key ? TooManyConversations() : absl::OkStatus();
}

// Closes sessions whose turn failed before they had an id, and then those that wait the longest, of
// the key that has most of what there is too much of.
void DocumentService::MakeRoom() {
  struct Idle {
    std::shared_ptr<DocumentSession> session;
    size_t bytes;
  };
  struct Sum {
    size_t sessions = 0;
    size_t bytes = 0;  // that they hold
  };
  std::vector<std::shared_ptr<DocumentSession>> closed;
  std::vector<Idle> idle;
  std::map<std::string, Sum> sums;  // of those that are idle, by API key
  size_t bytes = 0;
  for (const auto& session : sessions_) {
    if (session->busy()) continue;
    if (session->id().empty()) {
      closed.push_back(session);
      continue;
    }
    idle.push_back({.session = session, .bytes = session->held_bytes()});
    ++sums[session->client_key()].sessions;
    sums[session->client_key()].bytes += idle.back().bytes;
    bytes += idle.back().bytes;
  }
  std::sort(idle.begin(), idle.end(),
            [](const Idle& a, const Idle& b) { return a.session->used() < b.session->used(); });
  while (idle.size() > kMaxIdleSessions || bytes > options_.max_idle_bytes) {
    const auto what = bytes > options_.max_idle_bytes ? &Sum::bytes : &Sum::sessions;
    const auto most = std::max_element(
        sums.begin(), sums.end(),
        [what](const auto& a, const auto& b) { return a.second.*what < b.second.*what; });
    const auto oldest = std::find_if(idle.begin(), idle.end(), [&most](const Idle& one) {
      return one.session->client_key() == most->first;
    });
    --most->second.sessions;
    most->second.bytes -= oldest->bytes;
    bytes -= oldest->bytes;
    closed.push_back(std::move(oldest->session));
    idle.erase(oldest);
  }
  for (const auto& session : closed) std::erase(sessions_, session);
  if (!closed.empty()) Close(std::move(closed));
}

bool DocumentService::idle() const {
  return std::none_of(sessions_.begin(), sessions_.end(),
                      [](const auto& session) { return session->busy(); });
}

void DocumentService::EndTurns(const absl::Status& why) {
  ended_ = why;
  for (const auto& session : std::vector(sessions_)) session->End(why);
}

void DocumentService::Close(std::vector<std::shared_ptr<DocumentSession>> sessions) {
  if (closer_.joinable()) closer_.join();  // half a second at most
  // Where no thread can be had, they end with the function, here.
  (void)cursor_apps::StartThread(closer_,
                                 [sessions = std::move(sessions)]() mutable { sessions.clear(); });
}

void DocumentService::Approve(HttpExchange& exchange, const std::string& client_key,
                              const std::string& id) {
  const absl::StatusOr<ApprovalDecision> decision = ReadApprovalDecision(exchange.body());
  absl::Status status = decision.status();
  if (status.ok()) status = approvals_->Decide(id, client_key, *decision);
  if (!status.ok()) return exchange.Answer(ErrorAnswer(ApiErrorOf(status)));
  exchange.Answer(
      JsonAnswer(CompactJson({{"id", id}, {"status", decision->approve ? "approved" : "denied"}})));
}

}  // namespace cursor_gateway
