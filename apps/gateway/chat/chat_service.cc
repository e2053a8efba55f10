#include "chat/chat_service.h"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "anthropic/message_writer.h"
#include "anthropic/messages_request.h"
#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_text.h"
#include "api/model_list.h"
#include "base/sha256.h"
#include "chat/turn_answer.h"
#include "error_answer.h"
#include "openai/completion_writer.h"
#include "openai/response_writer.h"
#include "random_text.h"

namespace cursor_gateway {
namespace {

constexpr size_t kAnswerIdLength = 24;
constexpr std::string_view kClaude = "claude";
constexpr int kBusyRetrySeconds = 1;
constexpr size_t kMaxLeftOut = 16;
constexpr char kServersWork[] = "Those of servers work, too.";
constexpr char kContinue[] = "Continue with the results of the tools above.";

ApiError TooManyRuns() {
  return {.status = 429,
          .type = "rate_limit_error",
          .code = "rate_limit_exceeded",
          .message = "too many requests are being answered; try again later",
          .retry_after_seconds = kBusyRetrySeconds,
          .is_overload = true};
}

absl::Status UnknownResponse() {
  return ToStatus({.status = 404,
                   .type = "invalid_request_error",
                   .code = "previous_response_not_found",
                   .param = "previous_response_id",
                   .message = "there is no such response"});
}

absl::Status TooMuchNamed() {
  return ToStatus({.status = 413,
                   .type = "invalid_request_error",
                   .message = "what the request names of former responses is over 64 MiB"});
}

void AddRule(std::string& rules, std::string_view rule) {
  if (!rule.empty()) Append(rules, rules.empty() ? "" : "\n\n", rule);
}

// How many of the first rules of `messages` were the last ones told: one that is in force again,
// after another, is not among them. By the borders of the sequence (Knuth, Morris, Pratt), in
// linear time.
size_t RulesToldAgain(const std::vector<Message>& former, std::span<const Message> messages) {
  std::vector<std::string_view> rules;
  for (const Message& message : messages) {
    if (message.role == Role::kSystem) rules.push_back(message.text);
  }
  if (rules.empty()) return 0;
  std::vector<size_t> borders(rules.size(), 0);
  const auto next = [&](size_t matched, std::string_view rule) {
    while (matched > 0 && (matched == rules.size() || rules[matched] != rule)) {
      matched = borders[matched - 1];
    }
    return rules[matched] == rule ? matched + 1 : matched;
  };
  for (size_t i = 1; i < rules.size(); ++i) borders[i] = next(borders[i - 1], rules[i]);
  size_t matched = 0;
  for (const Message& message : former) {
    if (message.role == Role::kSystem) matched = next(matched, message.text);
  }
  return matched;
}

// Digests of the rules that a request has beside its instructions.
std::vector<std::string> OwnRulesOf(const ResponsesRequest& request) {
  std::vector<std::string> digests;
  const std::vector<Message>& messages = request.chat.messages;
  for (size_t i = request.has_instructions ? 1 : 0; i < messages.size(); ++i) {
    if (messages[i].role == Role::kSystem) digests.push_back(cursorwire::Sha256(messages[i].text));
  }
  return digests;
}

// Puts what a request goes on from before what it says. Some clients send their rules again each
// time: these are told once, also where only the last of them are others. `own_rules` as of
// OwnRulesOf().
void AddFormer(const KeptResponse& former, const std::vector<std::string>& own_rules,
               ResponsesRequest& request) {
  std::vector<Message>& messages = request.chat.messages;
  const auto first = messages.begin() + (request.has_instructions ? 1 : 0);
  const auto changed = std::mismatch(own_rules.begin(), own_rules.end(), former.own_rules.begin(),
                                     former.own_rules.end());
  auto common = static_cast<size_t>(changed.first - own_rules.begin());
  // Where one was withdrawn, the last of those that stay is in force again.
  if (common > 0 && common == own_rules.size() && common < former.own_rules.size()) --common;
  size_t told = std::max(RulesToldAgain(former.messages, {first, messages.end()}), common);
  const auto rest = std::remove_if(first, messages.end(), [&told](const Message& message) {
    if (message.role != Role::kSystem || told == 0) return false;
    --told;
    return true;
  });
  messages.erase(rest, messages.end());
  messages.insert(messages.begin() + (request.has_instructions ? 1 : 0), former.messages.begin(),
                  former.messages.end());
}

// Nothing that the assistant said is in them.
bool AreNew(const std::vector<Message>& messages) {
  return std::none_of(messages.begin(), messages.end(),
                      [](const Message& message) { return message.role == Role::kAssistant; });
}

// Claude Code's name of a session, and of an agent within it: several run at a time. Empty: none.
std::string SessionOf(const HttpHead& head) {
  const std::string* session = head.Find("x-claude-code-session-id");
  const std::string* agent = head.Find("x-claude-code-agent-id");
  if (session == nullptr) return "";
  return Concat(*session, "/", agent == nullptr ? "" : *agent);
}

// The agent has tools of its own, which are refused: it is told which ones work. `servers` may be
// nullptr.
std::string OfferRule(const std::vector<FunctionTool>& tools,
                      const cursorwire::mcp::Servers* servers) {
  std::set<std::string_view> sorted;  // whatever order a client has them in
  for (const FunctionTool& tool : tools) sorted.insert(tool.name);
  std::string names;
  for (const std::string_view name : sorted) Append(names, names.empty() ? "" : ", ", name);
  if (names.empty()) return "";
  if (servers != nullptr) {
    for (const cursorwire::mcp::ServerReport& report : servers->reports()) {
      if (!report.tools.empty()) Append(names, ", all of the server ", report.provider);
    }
  }
  return Concat("Only these tools work here: ", names,
                ". All others are refused, such as reading files, searching, editing and running "
                "commands.");
}

// Names of tools for the log. They are the client's words: a line must stay a line.
std::string LeftOut(const std::vector<std::string>& tools) {
  std::string note = "tools left out:";
  for (size_t i = 0; i < std::min(tools.size(), kMaxLeftOut); ++i) {
    Append(note, i == 0 ? " " : ", ", absl::CHexEscape(tools[i].substr(0, kMaxToolNameLength)));
  }
  if (tools.size() > kMaxLeftOut) Append(note, " and ", tools.size() - kMaxLeftOut, " more");
  return note;
}

// A request that forces a call means one of its own.
bool OffersServers(const ChatCompletionRequest& request, const ChatServiceOptions& options) {
  return options.servers != nullptr && request.tool_choice == ToolChoice::kAuto;
}

// What is told of the tools of servers changes while these start: that they are offered counts.
std::string RequestRulesOf(const ChatCompletionRequest& request,
                           const ChatServiceOptions& options) {
  std::string rules = ExtraRules(request);
  if (options.has_workspace) return rules;
  const std::string offer = OfferRule(OfferedTools(request), nullptr);
  AddRule(rules, offer);
  if (!offer.empty() && OffersServers(request, options)) AddRule(rules, kServersWork);
  return rules;
}

AnswerHead NewHead(std::string_view prefix, const std::string& model) {
  return {.id = Concat(prefix, RandomText(kAnswerIdLength)),
          .created = std::time(nullptr),
          .model = model};
}

AnswerWriter::Keep KeepOf(const ChatCompletionRequest& request) {
  return request.stream ? AnswerWriter::Keep::kNothing : AnswerWriter::Keep::kWhole;
}

// Codex shortens its history when the tokens of an answer come close to the window of the model.
bool CountsContext(const HttpHead& head) {
  const std::string* originator = head.Find("originator");
  return originator != nullptr && originator->starts_with("codex");
}

// One that waits for results, with what it held when it was looked at: the service may change that.
struct ParkedTurn {
  LiveTurn* turn;
  size_t bytes;
};

void Add(ParkedBound& sum, const ParkedTurn& parked) {
  ++sum.turns;
  sum.bytes += parked.bytes;
}

void Remove(ParkedBound& sum, const ParkedTurn& parked) {
  --sum.turns;
  sum.bytes -= parked.bytes;
}

bool IsOver(const ParkedBound& sum, const ParkedBound& bound) {
  return sum.turns > bound.turns || sum.bytes > bound.bytes;
}

}  // namespace

// One request on its way to a turn.
struct ChatService::Job {
  std::shared_ptr<BodyShare> body;  // counts its bytes
  std::string client_key;
  ChatCompletionRequest request;
  std::shared_ptr<const Dialog> dialog;  // shared with what keeps the response
  std::vector<MessageDigest> history;    // of its messages
  std::vector<MessageDigest> tail;
  cursorwire::ChosenModel model;
  bool context_as_prompt = false;
  std::shared_ptr<TurnAnswer> answer;
  // Of the Messages API.
  bool is_messages = false;
  std::shared_ptr<HttpExchange> exchange{};
  std::string session{};
  std::set<std::string> loaded_tools{};
  std::string request_rules{};  // as of TurnTerms
  // The name of what a request goes on from by the id of a response, whatever its instructions are;
  // empty: it is not known.
  std::string former_name{};

  // What was said before the answer. `told` as of TurnTerms::request_rules.
  ConversationKey KeyOfAll(std::string_view told) const {
    ConversationKey key = KeyOfHistory(dialog->rules, told);
    key.Add(tail);
    return key;
  }
  // `rules`: those of the time when the history was made, or all, where a client moves one to the
  // end of each request.
  ConversationKey KeyOfHistory(std::string_view rules, std::string_view told) const {
    ConversationKey key(client_key, rules, told);
    key.Add(history);
    return key;
  }
  // That its history may have. Rules can be added to a conversation, so that instructions may be
  // new; others were replaced, and cannot be taken out of it. Neither can those of a request.
  std::vector<std::string> FormerNames() const {
    std::vector<std::string> names;
    if (dialog->history.empty()) return names;
    std::set<std::string_view> known;
    for (const std::string_view rules : {std::string_view(dialog->former_rules),
                                         FormerRulesOf(*dialog), std::string_view(dialog->rules)}) {
      if (known.insert(rules).second) names.push_back(KeyOfHistory(rules, request_rules).value());
    }
    return names;
  }
  // Names what was said before the answer, whatever is told beside the messages.
  std::string Said() const { return KeyOfAll("").value(); }
  // The same before each message of the history.
  std::set<std::string> SaidBeforeEach() const {
    std::set<std::string> names;
    for (const std::string& rules : {dialog->former_rules, dialog->rules}) {
      ConversationKey key(client_key, rules);
      for (const MessageDigest& message : history) {
        names.insert(key.value());
        key.Add(message);
      }
    }
    return names;
  }
  std::map<std::string, const Message*> Results() const {
    std::map<std::string, const Message*> results;
    for (const Message& message : dialog->tail) {
      if (message.role == Role::kTool) results.emplace(message.call_id, &message);
    }
    return results;
  }
};

ChatService::ChatService(EventLoop& loop, const cursorwire::Client& client, ModelCatalog& catalog,
                         Metrics& metrics, StateKeeper& state, ChatServiceOptions options)
    : loop_(loop),
      client_(client),
      catalog_(catalog),
      metrics_(metrics),
      options_(std::move(options)),
      conversations_(client, state),
      responses_(loop, state) {}

ChatService::~ChatService() = default;

// nullptr: the exchange was answered with an error.
std::shared_ptr<ChatService::Job> ChatService::NewJob(HttpExchange& exchange,
                                                      const std::string& client_key,
                                                      ChatCompletionRequest request,
                                                      std::shared_ptr<BodyShare> body,
                                                      const DialogForm& form) const {
  absl::StatusOr<Dialog> dialog = SplitDialog(std::exchange(request.messages, {}), form);
  if (!dialog.ok()) {
    exchange.Answer(ErrorAnswer(ApiErrorOf(dialog.status())));
    return nullptr;
  }
  auto job = std::make_shared<Job>();
  job->body = std::move(body);
  job->client_key = client_key;
  job->request = std::move(request);
  job->request_rules = RequestRulesOf(job->request, options_);
  job->history = DigestsOf(dialog->history);
  job->tail = DigestsOf(dialog->tail);
  job->dialog = std::make_shared<const Dialog>(*std::move(dialog));
  return job;
}

void ChatService::Complete(const std::shared_ptr<HttpExchange>& exchange,
                           const std::string& client_key) {
  absl::StatusOr<ChatCompletionRequest> request = ReadChatRequest(exchange->body());
  if (!request.ok()) return exchange->Answer(ErrorAnswer(ApiErrorOf(request.status())));
  const auto job = NewJob(*exchange, client_key, *std::move(request), exchange->DropBody());
  if (job == nullptr) return;
  job->answer = std::make_shared<TurnAnswer>(
      loop_, exchange, job->request,
      std::make_unique<CompletionWriter>(NewHead("chatcmpl-", job->request.model),
                                         job->request.include_usage, KeepOf(job->request)));
  Choose(job);
}

void ChatService::Respond(const std::shared_ptr<HttpExchange>& exchange,
                          const std::string& client_key, ResponsesPath path) {
  absl::StatusOr<nlohmann::json> read = ReadJson(exchange->body());
  absl::StatusOr<ResponseReferences> references =
      read.ok() ? ReferencesOf(*read) : absl::StatusOr<ResponseReferences>(read.status());
  if (!references.ok()) return exchange->Answer(ErrorAnswer(ApiErrorOf(references.status())));
  const std::shared_ptr<BodyShare> share = exchange->DropBody();
  // Parts of it stay as values until the turn is over.
  if (!share->Add(CountValues(*read) * kJsonValueBytes)) {
    return exchange->Answer(ErrorAnswer(NoRoom()));
  }
  const auto gone = std::make_shared<bool>(false);
  exchange->OnGone([gone] { *gone = true; });
  const auto body = std::make_shared<nlohmann::json>(*std::move(read));
  responses_.Find(*references, client_key, gone,
                  [this, exchange, client_key, body, path,
                   share](const absl::StatusOr<FormerResponses>& former) {
                    if (!former.ok()) {
                      exchange->Answer(ErrorAnswer(absl::IsOutOfRange(former.status())
                                                       ? ApiErrorOf(TooMuchNamed())
                                                       : StateIsAway("previous_response_id")));
                    } else if (!share->Add(former->bytes)) {
                      exchange->Answer(ErrorAnswer(NoRoom()));
                    } else {
                      AnswerSafely(*exchange, [&] {
                        RespondKnowing(exchange, client_key, std::move(*body), *former, path,
                                       share);
                      });
                    }
                  });
}

void ChatService::RespondKnowing(const std::shared_ptr<HttpExchange>& exchange,
                                 const std::string& client_key, nlohmann::json body,
                                 const FormerResponses& former, ResponsesPath path,
                                 const std::shared_ptr<BodyShare>& share) {
  absl::StatusOr<ResponsesRequest> request = ReadResponsesRequest(
      std::move(body),
      [&former](const std::string& id) -> const nlohmann::json* {
        const auto item = former.items.find(id);
        return item == former.items.end() ? nullptr : &item->second;
      },
      path);
  if (request.ok() && !request->previous_response_id.empty() && !former.response) {
    request = UnknownResponse();
  }
  if (!request.ok()) return exchange->Answer(ErrorAnswer(ApiErrorOf(request.status())));
  if (!request->tools.left_out().empty()) exchange->AddNote(LeftOut(request->tools.left_out()));
  std::string former_name;
  std::vector<std::string> own_rules = OwnRulesOf(*request);
  if (!request->previous_response_id.empty()) {
    if (AreNew(request->chat.messages)) former_name = former.response->name;
    AddFormer(*former.response, own_rules, *request);
  }
  const auto job = NewJob(*exchange, client_key, std::exchange(request->chat, {}), share,
                          {.list = "input",
                           .tells_orphans = true,
                           .own_rules = request->has_instructions ? size_t{1} : 0});
  if (job == nullptr) return;
  job->former_name = std::move(former_name);
  job->context_as_prompt = CountsContext(exchange->head());
  const AnswerHead head = NewHead("resp_", job->request.model);
  auto writer =
      std::make_unique<ResponseWriter>(head, *request, [] { return RandomText(kAnswerIdLength); });
  TurnAnswer::BeforeEnd keep;
  if (request->store) {
    // The writer is the answer's own.
    keep = [this, id = head.id, client_key, dialog = job->dialog,
            key = job->KeyOfAll(job->request_rules), own_rules = std::move(own_rules),
            writer = writer.get()](const Message& said, const std::function<void()>& kept) {
      KeptResponse response{.messages = MessagesOf(*dialog), .own_rules = own_rules};
      response.messages.push_back(said);
      ConversationKey name = key;
      name.Add(DigestOf(said));
      response.name = name.value();
      responses_.Put(id, client_key, response, writer->output(), kept);
    };
  }
  job->answer = std::make_shared<TurnAnswer>(loop_, exchange, job->request, std::move(writer),
                                             std::move(keep));
  Choose(job);
}

void ChatService::AnswerMessages(const std::shared_ptr<HttpExchange>& exchange,
                                 const std::string& client_key) {
  absl::StatusOr<MessagesRequest> request = ReadMessagesRequest(exchange->body());
  if (!request.ok()) return exchange->Answer(ErrorAnswer(ApiErrorOf(request.status())));
  const auto job =
      NewJob(*exchange, client_key, std::exchange(request->chat, {}), exchange->DropBody());
  if (job == nullptr) return;
  if (!request->left_out.empty()) exchange->AddNote(LeftOut(request->left_out));
  job->context_as_prompt = true;
  job->is_messages = true;
  job->exchange = exchange;
  job->session = SessionOf(exchange->head());
  job->loaded_tools = std::move(request->loaded_tools);
  job->answer = std::make_shared<TurnAnswer>(
      loop_, exchange, job->request,
      std::make_unique<MessageWriter>(NewHead("msg_", job->request.model), *request, exchange->id(),
                                      KeepOf(job->request)));
  Choose(job);
}

// Finds what the model is asked with.
void ChatService::Choose(const std::shared_ptr<Job>& job) {
  job->request.model = options_.model_map.Find(job->request.model);
  job->model.model_id = SentModel(job->request.model);
  const bool may_be_dated = job->request.model.starts_with(kClaude);
  if (job->request.reasoning_effort.empty() && !may_be_dated) return ContinueOrStart(job);
  catalog_.Get([this, job](const absl::StatusOr<Catalog>& catalog) {
    if (!catalog.ok()) return ContinueOrStart(job);
    ChooseFrom(catalog->models, job);
  });
}

void ChatService::ChooseFrom(const std::vector<cursorwire::Model>& models,
                             const std::shared_ptr<Job>& job) {
  std::string& model = job->request.model;
  std::string& effort = job->request.reasoning_effort;
  if (model.starts_with(kClaude)) {
    const std::string known = KnownModel(models, model);
    if (!known.empty()) {
      model = known;
    } else if (job->is_messages) {
      // Claude Code asks for some of these by itself, whatever its user chose.
      model = "auto";
      job->exchange->AddNote("a model that the account does not have: answered by auto");
    }
  }
  if (job->is_messages) effort = NearestEffort(models, model, effort);
  absl::StatusOr<cursorwire::ChosenModel> chosen = ChooseEffort(models, model, effort);
  if (chosen.ok()) {
    job->model = *std::move(chosen);
  } else if (job->request.effort_is_wish) {
    job->model.model_id = SentModel(model);
  } else {
    return job->answer->Fail(ApiErrorOf(chosen.status()));
  }
  ContinueOrStart(job);
}

void ChatService::ContinueOrStart(const std::shared_ptr<Job>& job) {
  if (job->answer->gone()) return;
  if (!job->session.empty()) CancelLeft(*job);
  const std::shared_ptr<LiveTurn> parked = FindParked(*job);
  if (parked != nullptr && Resume(*parked, *job)) return;
  // The history was edited, the user goes on talking, or asks for something else beside the
  // messages: a turn takes results alone.
  if (parked != nullptr) parked->Cancel();
  if (const auto refusal = Refusal(job->client_key)) return job->answer->Fail(*refusal);
  switch (job->dialog->kind) {
    case TailKind::kPrompt:
      return GoOn(job, job->FormerNames());
    case TailKind::kInterrupted:
      return GoCold(job, HistoryEnd::kWithResults);
    case TailKind::kResults:
      ++metrics_.cold_continuations;
      return GoCold(job, HistoryEnd::kWithResults);
  }
}

std::optional<ChatService::News> ChatService::NewsFor(const LiveTurn& parked, const Job& job) {
  const Dialog& dialog = *job.dialog;
  const std::string& told = parked.terms().request_rules;
  if (parked.parked_key() == job.KeyOfHistory(dialog.former_rules, told).value()) {
    return News{.text = std::string(NewRulesOf(dialog))};
  }
  if (parked.parked_key() == job.former_name) {
    // It began with other instructions, or with some where this request has none.
    std::string news = dialog.rules.substr(0, dialog.own_rules);
    AddRule(news, NewRulesOf(dialog));
    return News{.text = std::move(news), .replaces_rules = true};
  }
  if (parked.parked_key() == job.KeyOfHistory(dialog.rules, told).value()) return News();
  return std::nullopt;
}

TurnTerms ChatService::TermsOf(const Job& job) const {
  TurnTerms terms{.model = job.model,
                  .rules = ExtraRules(job.request),
                  .servers = OffersServers(job.request, options_),
                  .request_rules = job.request_rules};
  for (const FunctionTool& tool : OfferedTools(job.request)) terms.tools.insert(tool.name);
  return terms;
}

bool ChatService::Suits(const TurnTerms& parked, const Job& job) const {
  const TurnTerms asked = TermsOf(job);
  if (parked.model != asked.model || parked.rules != asked.rules) return false;
  if (parked.servers && !asked.servers) return false;
  if (!job.is_messages) return parked.tools == asked.tools;
  // The list grows while calls wait. The model is about to call what a result has told it of, and
  // does not know of the others.
  return std::all_of(asked.tools.begin(), asked.tools.end(),
                     [&](const std::string& tool) {
                       return parked.tools.contains(tool) || !job.loaded_tools.contains(tool);
                     }) &&
         std::includes(asked.tools.begin(), asked.tools.end(), parked.tools.begin(),
                       parked.tools.end());
}

bool ChatService::Resume(LiveTurn& parked, Job& job) {
  if (job.dialog->kind != TailKind::kResults || !parked.Covers(job.Results())) return false;
  if (!Suits(parked.terms(), job)) return false;
  const std::optional<News> news = NewsFor(parked, job);
  if (!news) return false;
  const ConversationKey all = job.KeyOfAll(parked.terms().request_rules);
  if (!news->text.empty()) {
    // A turn takes no new rules, but the model can read them beside the results.
    const auto told = std::make_shared<Dialog>(*job.dialog);
    AddRule(told->tail.back().text, news->text);
    job.dialog = told;
  }
  if (news->replaces_rules) parked.LeaveConversation();
  parked.Resume(job.Results(), all, job.session.empty() ? "" : job.Said(),
                job.request.parallel_tool_calls, job.answer);
  return true;
}

void ChatService::CancelLeft(const Job& job) {
  const std::shared_ptr<LiveTurn> wanted = FindParked(job);
  const std::string all = job.Said();
  const std::set<std::string> former = job.SaidBeforeEach();
  std::vector<std::shared_ptr<LiveTurn>> left;
  for (const auto& [pointer, turn] : turns_) {
    if (turn->client() != job.client_key || turn->session() != job.session) continue;
    const bool repeated = turn->streams() && !job.request.stream && turn->said() == all;
    const bool passed = turn != wanted && former.contains(turn->said());
    if (turn->parked() ? passed : repeated) left.push_back(turn);
  }
  for (const std::shared_ptr<LiveTurn>& turn : left) turn->Cancel();
}

std::optional<ApiError> ChatService::Refusal(const std::string& client_key) const {
  if (!ended_.ok()) return ApiErrorOf(ended_);
  // Without keys everybody is one client, whom the bound of all is enough for.
  const bool too_many_of_key = !client_key.empty() && CountOf(client_key) >= kMaxRunsPerKey;
  const auto runs = std::count_if(turns_.begin(), turns_.end(),
                                  [](const auto& entry) { return !entry.second->parked(); });
  if (static_cast<size_t>(runs) < kMaxRuns && !too_many_of_key) return std::nullopt;
  return TooManyRuns();
}

void ChatService::GoOn(const std::shared_ptr<Job>& job, std::vector<std::string> names) {
  if (names.empty()) return GoCold(job, HistoryEnd::kBeforeTail);
  const std::string key = std::move(names.front());
  names.erase(names.begin());
  conversations_.Take(key, [this, job, key, names](std::optional<cursorwire::Conversation> taken) {
    if (!taken && !names.empty()) return GoOn(job, names);
    // Others may have begun meanwhile.
    const std::optional<ApiError> refusal = Refusal(job->client_key);
    if (refusal) job->answer->Fail(*refusal);
    if (taken && (refusal || job->answer->gone())) {
      conversations_.Put(key, job->client_key, *std::move(taken));
    } else if (taken) {
      StartTurn(job, *std::move(taken), key);
    } else if (!refusal) {
      GoCold(job, HistoryEnd::kBeforeTail);
    }
  });
}

void ChatService::GoCold(const std::shared_ptr<Job>& job, HistoryEnd end) {
  if (job->answer->gone()) return;
  cursorwire::Conversation conversation = client_.NewConversation(CompletedTurns());
  if (absl::Status status = conversation.SetHistory(HistoryOf(*job->dialog, end)); !status.ok()) {
    job->answer->Fail(ApiErrorOf(status));
    return;
  }
  StartTurn(job, std::move(conversation), "");
}

void ChatService::StartTurn(const std::shared_ptr<Job>& job, cursorwire::Conversation conversation,
                            std::string taken_key) {
  const std::vector<FunctionTool> tools = OfferedTools(job->request);
  cursorwire::ChatRequest request{
      .prompt = job->dialog->kind == TailKind::kResults ? kContinue : PromptOf(*job->dialog),
      .model = job->model.model_id,
      .max_mode = job->model.max_mode,
      .model_parameters = job->model.parameters,
      .system = job->dialog->rules};
  TurnTerms terms = TermsOf(*job);
  AddRule(request.system, terms.rules);
  const auto servers = terms.servers ? options_.servers : nullptr;
  if (!options_.has_workspace) AddRule(request.system, OfferRule(tools, servers.get()));
  request.images = ImagesOf(*job->dialog);
  request.timeout = options_.max_time;
  const auto turn = std::make_shared<LiveTurn>(
      loop_, metrics_, *this,
      LiveTurn::Start{.conversation = std::move(conversation),
                      .taken_key = std::move(taken_key),
                      .key = job->KeyOfAll(job->request_rules),
                      .said = job->session.empty() ? "" : job->Said(),
                      .terms = std::move(terms),
                      .client = job->client_key,
                      .session = job->session,
                      .body = job->body,
                      .streams = job->request.stream,
                      .servers = servers,
                      .call_prefix = job->is_messages ? "toolu_" : "call_",
                      .parallel_calls = job->request.parallel_tool_calls,
                      .parks = options_.parks,
                      .context_as_prompt = options_.context_as_prompt || job->context_as_prompt,
                      .max_idle = options_.max_idle});
  // In this order: one that cannot begin does not count, and has no end that would be heard of.
  turn->Begin(std::move(request), tools, job->answer);
  turns_.emplace(turn.get(), turn);
}

// The turn that waits for results of calls that the messages have; only of the same client.
std::shared_ptr<LiveTurn> ChatService::FindParked(const Job& job) const {
  for (const std::string& id : job.dialog->open_calls) {
    const auto it = parked_.find(id);
    if (it == parked_.end() || it->second->client() != job.client_key) continue;
    return turns_.at(it->second);
  }
  return nullptr;
}

size_t ChatService::CountOf(const std::string& client_key) const {
  return static_cast<size_t>(
      std::count_if(turns_.begin(), turns_.end(), [&client_key](const auto& entry) {
        return entry.second->client() == client_key && !entry.second->parked();
      }));
}

void ChatService::Drain() {
  draining_ = true;
  std::set<LiveTurn*> parked;
  for (const auto& [id, turn] : parked_) parked.insert(turn);
  for (LiveTurn* turn : parked) turns_.at(turn)->Cancel();
}

void ChatService::EndTurns(const absl::Status& why) {
  ended_ = why;
  for (const auto& [pointer, turn] : std::map(turns_)) turn->End(why);
}

void ChatService::OnParked(LiveTurn& turn, const std::vector<std::string>& call_ids) {
  for (const std::string& id : call_ids) parked_.emplace(id, &turn);
  ++metrics_.runs_parked;
  if (draining_) return turn.Cancel();  // its client goes on elsewhere
  BoundParked();
}

void ChatService::OnUnparked(LiveTurn& turn) {
  std::erase_if(parked_, [&turn](const auto& entry) { return entry.second == &turn; });
  --metrics_.runs_parked;
}

void ChatService::BoundParked() {
  std::vector<ParkedTurn> parked;
  ParkedBound all;
  std::map<std::string, ParkedBound> sums;  // by API key
  for (const auto& [pointer, turn] : turns_) {
    if (!turn->parked()) continue;
    parked.push_back({.turn = pointer, .bytes = turn->held_bytes()});
    Add(all, parked.back());
    Add(sums[turn->client()], parked.back());
  }
  std::sort(parked.begin(), parked.end(), [](const ParkedTurn& a, const ParkedTurn& b) {
    return a.turn->parked_since() < b.turn->parked_since();
  });
  for (const ParkedTurn& one : parked) {
    const std::string& key = one.turn->client();
    ParkedBound& own = sums[key];
    // Without keys everybody has all of the room.
    if (!IsOver(all, options_.max_parked) &&
        (key.empty() || !IsOver(own, options_.max_parked_per_key))) {
      continue;
    }
    Remove(all, one);
    Remove(own, one);
    turns_.at(one.turn)->Cancel();
  }
  parked_timer_.reset();
  if (!parked_.empty()) parked_timer_ = loop_.After(kParkedLook, [this] { BoundParked(); });
}

void ChatService::OnComplete(const std::string& key) { conversations_.Promise(key); }

void ChatService::OnEnded(LiveTurn& turn, const std::string& key,
                          cursorwire::Conversation conversation) {
  const auto it = turns_.find(&turn);
  if (it == turns_.end()) return;  // its first end has failed
  const std::shared_ptr<LiveTurn> ended = it->second;
  turns_.erase(it);
  if (!key.empty()) conversations_.Put(key, turn.client(), std::move(conversation));
}

}  // namespace cursor_gateway
