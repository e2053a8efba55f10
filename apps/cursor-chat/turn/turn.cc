#include "turn/turn.h"

#include <cursorwire/chat_stream.h>
#include <cursorwire/query.h>

#include <variant>

#include "output/notices.h"
#include "output/printer.h"

namespace cursor_chat {
namespace {

using cursorwire::ChatEvent;

void WarnOf(const ChatEvent& event, Output& output) {
  if (event.As<cursorwire::StateLost>() != nullptr) {
    PrintWarning(output, "the service has lost a part of the conversation");
  }
  if (const auto* rebuilt = event.As<cursorwire::StateRebuilt>()) {
    PrintWarning(output, rebuilt->message);
  }
}

void Answer(const cursorwire::QuestionAsked& asked, cursorwire::AgentMode mode) {
  const bool is_plan = std::holds_alternative<cursorwire::CreatePlanQuery>(asked.question);
  if (!is_plan || mode != cursorwire::AgentMode::kPlan) return;
  asked.reply.Send(cursorwire::QueryOutput(cursorwire::PlanAccepted{}));
}

absl::Status PrintAnswer(cursorwire::ChatStream& answer, cursorwire::AgentMode mode,
                         Printer& printer, Output& output) {
  for (const auto& event : answer) {
    if (!event.ok()) return event.status();
    WarnOf(*event, output);
    printer.OnEvent(*event);
    if (!output.status().ok()) return output.status();
    if (absl::Status status = printer.status(); !status.ok()) return status;
    if (const auto* asked = event->As<cursorwire::QuestionAsked>()) Answer(*asked, mode);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PlayTurn(cursorwire::Conversation& conversation, cursorwire::ChatRequest request,
                      Format format, const std::stop_token& stop, Output& output,
                      const AfterTurn& after_turn) {
  request.hand_out_questions = IsDocuments(format);
  cursorwire::ChatStream answer = conversation.Chat(request);
  const std::stop_callback cancelled(stop, [&answer] { answer.Cancel(); });
  const auto printer = Printer::Create(
      format, output,
      {[&answer] { return answer.conversation_id(); }, request.model, request.mode});
  absl::Status status = after_turn(PrintAnswer(answer, request.mode, *printer, output));
  printer->OnEnd(status);
  return status;
}

}  // namespace cursor_chat
