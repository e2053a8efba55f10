#include "client/turn/handlers.h"

#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"

namespace cursorwire {

Handlers::Handlers(std::shared_ptr<HandlerThreads> threads,
                   std::shared_ptr<ExecHandler> exec_handler,
                   std::shared_ptr<QueryHandler> query_handler, const ToolRegistry& tools)
    : threads_(std::move(threads)),
      doers_{.execs = std::move(exec_handler),
             .queries = std::move(query_handler),
             .tools = std::make_shared<const ToolRegistry>(tools)} {}

void Handlers::Start(const std::shared_ptr<Serving>& serving) const {
  serving->set_ticket(threads_->Post([doers = doers_, serving] { doers.Do(serving); }));
  if (serving->ticket() != 0) return;
  const absl::Status no_thread = LocalError(absl::StatusCode::kUnavailable, "no thread is left");
  const std::optional<Serving::Work> work = serving->TakeWork();
  if (!work) return;
  if (std::holds_alternative<ExecArgs>(*work)) {
    serving->SetAnswer(absl::StatusOr<ExecOutput>(no_thread));
  } else {
    serving->SetAnswer(absl::StatusOr<QueryOutput>(no_thread));
  }
}

void Handlers::Stop(Serving& serving) const {
  serving.Stop();
  threads_->Drop(serving.ticket());
}

void Handlers::Doers::Do(const std::shared_ptr<Serving>& serving) const {
  std::optional<Serving::Work> work = serving->TakeWork();
  if (!work) return;
  if (const auto* query = std::get_if<QueryArgs>(&*work)) {
    return serving->SetAnswer(CallQueryHandler(*queries, *query, serving->context()));
  }
  auto& args = std::get<ExecArgs>(*work);
  if (auto* call = std::get_if<ToolCall>(&args)) return Call(std::move(*call), serving);
  serving->SetAnswer(CallExecHandler(HandlerOf(args), args, serving->context(), serving.get()));
}

ExecHandler& Handlers::Doers::HandlerOf(const ExecArgs& args) const {
  const bool is_resource = std::holds_alternative<ListMcpResourcesArgs>(args) ||
                           std::holds_alternative<ReadMcpResourceArgs>(args);
  return is_resource && tools->resources() != nullptr ? *tools->resources() : *execs;
}

void Handlers::Doers::Call(ToolCall call, const std::shared_ptr<Serving>& serving) const {
  call.stop = serving->context().stop;
  const ToolReply reply([serving](absl::StatusOr<ToolResult> result) {
    if (!result.ok()) return serving->SetAnswer(absl::StatusOr<ExecOutput>(result.status()));
    serving->SetAnswer(absl::StatusOr<ExecOutput>(*std::move(result)));
  });
  tools->Call(call, reply);
}

}  // namespace cursorwire
