#include "turn.h"

#include <cursorwire/chat_stream.h>

#include <utility>
#include <variant>

#include "document_printer.h"
#include "notices.h"
#include "printer.h"

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

absl::Status PrintAnswer(cursorwire::ChatStream& answer, Printer& printer, Output& output) {
  for (const auto& event : answer) {
    if (!event.ok()) return event.status();
    WarnOf(*event, output);
    printer.OnEvent(*event);
    if (!output.status().ok()) return output.status();
  }
  return absl::OkStatus();
}

// What the program itself ends the turn for.
absl::Status PrintingStatus(const DocumentPrinter& printer, const Output& output) {
  return output.status().ok() ? printer.status() : output.status();
}

// Until the turn is over.
absl::Status PrintDocuments(TurnQueue& queue, const cursorwire::ChatCall& call,
                            DocumentPrinter& printer, Output& output) {
  for (;;) {
    const TurnQueue::Item item = queue.Next();
    const absl::Status printing = PrintingStatus(printer, output);
    if (const auto* status = std::get_if<absl::Status>(&item)) {
      return printing.ok() ? *status : printing;
    }
    if (!printing.ok()) continue;
    if (const auto* query = std::get_if<cursorwire::QueryArgs>(&item)) printer.OnQuery(*query);
    if (const auto* event = std::get_if<ChatEvent>(&item)) {
      WarnOf(*event, output);
      printer.OnEvent(*event);
    }
    if (!PrintingStatus(printer, output).ok()) call.Cancel();
  }
}

}  // namespace

absl::Status PlayTurn(cursorwire::Conversation& conversation,
                      const cursorwire::ChatRequest& request, Format format,
                      const std::stop_token& stop, Output& output, const AfterTurn& after_turn) {
  cursorwire::ChatStream answer = conversation.Chat(request);
  const std::stop_callback cancelled(stop, [&answer] { answer.Cancel(); });
  const auto printer = Printer::Create(
      format, output,
      {[&answer] { return answer.conversation_id(); }, request.model, request.mode});
  absl::Status status = after_turn(PrintAnswer(answer, *printer, output));
  printer->OnEnd(status);
  return status;
}

absl::Status PlayDocuments(cursorwire::Conversation& conversation,
                           const cursorwire::ChatRequest& request, Format format,
                           const std::shared_ptr<TurnQueue>& queue, const std::stop_token& stop,
                           Output& output, const AfterTurn& after_turn) {
  const cursorwire::ChatCall call = conversation.Chat(request, queue);
  const std::stop_callback cancelled(stop, [&call] { call.Cancel(); });
  const auto printer = DocumentPrinter::Create(
      format, output, {[&call] { return call.conversation_id(); }, request.model, request.mode});
  absl::Status status = after_turn(PrintDocuments(*queue, call, *printer, output));
  printer->OnEnd(status);
  return status;
}

}  // namespace cursor_chat
