#include "documents/document_service.h"

#include <cursorwire/context/add_context.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "documents/context_reader.h"
#include "error_answer.h"
#include "openai/api_error.h"
#include "openai/json_text.h"
#include "openai/model_list.h"

namespace cursor_gateway {
namespace {

constexpr std::string_view kConversationPrefix = "conv_";

absl::Status UnknownConversation() {
  return ToStatus({.status = 404,
                   .type = "invalid_request_error",
                   .code = "conversation_not_found",
                   .param = "conversationId",
                   .message = "there is no such conversation"});
}

absl::Status BusyConversation() {
  return ToStatus({.status = 409,
                   .type = "invalid_request_error",
                   .param = "conversationId",
                   .message = "this conversation is being answered; wait for its end"});
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
    const bool may_list = request.tools.Check(ActionKind::kList, layout.path, layout.path).ok() &&
                          !request.tools.RequiresApproval(ActionKind::kList);
    if (may_list) context.project_layouts.push_back(layout);
  }
  return context;
}

}  // namespace

struct DocumentService::Job {
  std::string client_key;
  DocumentRequest request;
  Dialog dialog;
  std::shared_ptr<DocumentAnswer> answer;
};

DocumentService::DocumentService(EventLoop& loop, Metrics& metrics, DocumentServiceOptions options)
    : loop_(loop),
      metrics_(metrics),
      options_(std::move(options)),
      workspace_(loop, options_.allow.read ? options_.workspace : "", options_.read_workspace,
                 options_.log) {}

DocumentService::~DocumentService() {
  if (closer_.joinable()) closer_.join();
}

void DocumentService::Complete(std::shared_ptr<HttpExchange> exchange,
                               const std::string& client_key, Path path) {
  const auto fail = [&exchange](const absl::Status& status) {
    exchange->Answer(ErrorAnswer(ApiErrorOf(status)));
  };
  absl::StatusOr<DocumentRequest> request = ReadDocumentRequest(exchange->body());
  if (!request.ok()) return fail(request.status());
  exchange->DropBody();
  if (path == Path::kPlan) request->mode = cursorwire::AgentMode::kPlan;
  if (const std::string* accept = exchange->head().Find("accept");
      accept != nullptr && accept->find("text/event-stream") != std::string::npos) {
    request->stream = true;
  }
  absl::StatusOr<Dialog> dialog = SplitDialog(request->messages);
  if (!dialog.ok()) return fail(dialog.status());
  request->messages.clear();
  const auto job = std::make_shared<Job>();
  job->client_key = client_key;
  job->request = *std::move(request);
  job->dialog = *std::move(dialog);
  std::string id = job->request.conversation_id;
  if (id.empty()) {
    absl::StatusOr<std::shared_ptr<DocumentSession>> session = NewSession(*job);
    if (!session.ok()) return fail(session.status());
    job->answer = std::make_shared<DocumentAnswer>(loop_, std::move(exchange), job->request);
    begun_.push_back(*session);
    Ask(job, *session);
    return;
  }
  if (id.starts_with(kConversationPrefix)) id.erase(0, kConversationPrefix.size());
  const auto it = sessions_.find(id);
  if (it == sessions_.end() || it->second->client_key() != client_key) {
    return fail(UnknownConversation());
  }
  const std::shared_ptr<DocumentSession> session = it->second;
  if (session->busy() && !session->answered()) return fail(BusyConversation());
  job->answer = std::make_shared<DocumentAnswer>(loop_, std::move(exchange), job->request);
  if (!session->busy()) return Ask(job, session);
  // The rest of the state of the turn before is on its way.
  session->OnIdle([this, job, session] {
    if (!job->answer->gone()) Ask(job, session);
  });
}

absl::StatusOr<std::shared_ptr<DocumentSession>> DocumentService::NewSession(const Job& job) {
  MakeRoom();
  if (sessions_.size() + begun_.size() >= kMaxDocumentSessions) return TooManyConversations();
  absl::StatusOr<std::shared_ptr<SessionHandler>> handler =
      SessionHandler::Create({.workspace = options_.workspace,
                              .allow = options_.allow,
                              .client_key = job.client_key,
                              .max_idle = options_.max_idle},
                             approvals_);
  if (!handler.ok()) return handler.status();
  absl::StatusOr<cursorwire::Client> client = options_.make_client(*handler, *handler);
  if (!client.ok()) return client.status();
  cursorwire::Conversation conversation = client->NewConversation();
  absl::Status status = conversation.SetHistory(HistoryOf(job.dialog, HistoryEnd::kWithResults));
  if (!status.ok()) return status;
  return std::make_shared<DocumentSession>(loop_, metrics_, job.client_key, *std::move(handler),
                                           *std::move(client), std::move(conversation));
}

void DocumentService::Ask(const std::shared_ptr<Job>& job,
                          const std::shared_ptr<DocumentSession>& session) {
  session->Begin(job->answer);
  workspace_.Read([this, job, session](const WorkspaceContext::Context& read) {
    if (!job->answer->gone()) Send(*job, session, read);
  });
}

void DocumentService::Send(const Job& job, const std::shared_ptr<DocumentSession>& session,
                           const WorkspaceContext::Context& read) {
  cursorwire::ChatRequest request{.prompt = PromptOf(job.dialog),
                                  .model = SentModel(job.request.model),
                                  .system = job.dialog.rules,
                                  .mode = job.request.mode};
  // The agent is told what of it does not fit.
  (void)cursorwire::context::AddContext(ContextOf(job.request, read), request,
                                        {.max_instruction_bytes = kMaxContextRuleBytes});
  request.images = ImagesOf(job.dialog);
  request.timeout = options_.max_time;
  TurnRules rules{.mode = job.request.mode, .tools = job.request.tools};
  if (job.request.stream) rules.ask = [](const ApprovalQuestion&) {};
  const std::weak_ptr<DocumentSession> weak = session;
  session->Ask(request, std::move(rules), [this, weak](const std::string& id) {
    const auto alive = weak.lock();
    std::erase_if(sessions_, [&alive](const auto& entry) { return entry.second == alive; });
    sessions_[id] = alive;
    std::erase(begun_, alive);
  });
}

// Forgets turns that failed before they had an id, and the conversations that wait the longest.
void DocumentService::MakeRoom() {
  std::vector<std::shared_ptr<DocumentSession>> closed;
  for (const auto& session : begun_) {
    if (!session->busy()) closed.push_back(session);
  }
  std::erase_if(begun_, [](const auto& session) { return !session->busy(); });
  if (sessions_.size() + begun_.size() >= kMaxDocumentSessions) {
    auto oldest = sessions_.end();
    for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
      if (it->second->busy()) continue;
      if (oldest == sessions_.end() || it->second->used() < oldest->second->used()) oldest = it;
    }
    if (oldest != sessions_.end()) {
      closed.push_back(oldest->second);
      sessions_.erase(oldest);
    }
  }
  if (!closed.empty()) Close(std::move(closed));
}

bool DocumentService::idle() const {
  const auto is_busy = [](const std::shared_ptr<DocumentSession>& session) {
    return session->busy();
  };
  return std::none_of(begun_.begin(), begun_.end(), is_busy) &&
         std::none_of(sessions_.begin(), sessions_.end(),
                      [&](const auto& entry) { return is_busy(entry.second); });
}

void DocumentService::Close(std::vector<std::shared_ptr<DocumentSession>> sessions) {
  if (closer_.joinable()) closer_.join();  // half a second at most
  closer_ = std::thread([sessions = std::move(sessions)]() mutable { sessions.clear(); });
}

void DocumentService::Approve(HttpExchange& exchange, const std::string& client_key,
                              const std::string& id) {
  const absl::StatusOr<ApprovalDecision> decision = ReadApprovalDecision(exchange.body());
  absl::Status status = decision.status();
  if (status.ok()) status = approvals_.Decide(id, client_key, *decision);
  if (!status.ok()) {
    exchange.Answer(ErrorAnswer(ApiErrorOf(status)));
    return;
  }
  exchange.Answer(
      JsonAnswer(CompactJson({{"id", id}, {"status", decision->approve ? "approved" : "denied"}})));
}

}  // namespace cursor_gateway
