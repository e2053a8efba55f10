#include "output/printer.h"

#include <utility>

#include "output/answer_marks.h"
#include "output/document_printer.h"
#include "output/json_printers.h"
#include "output/line_ends.h"
#include "output/notices.h"

namespace cursor_chat {
namespace {

using cursorwire::ChatEvent;

class TextPrinter final : public Printer {
 public:
  explicit TextPrinter(Output& output) : output_(output) {}

  void OnEvent(const ChatEvent& event) override {
    if (const auto* delta = event.As<cursorwire::TextDelta>()) {
      // A file or a pipe gets the text unchanged.
      output_.Write(output_.is_terminal() ? marks_.Add(ends_.Add(delta->text)) : delta->text);
    } else if (const auto* notice = event.As<cursorwire::ServerNotice>()) {
      PrintNotice(output_, notice->text);
    } else if (const auto* started = event.As<cursorwire::ToolCallStarted>()) {
      PrintToolLine(output_, started->call);
    } else if (const auto* retrying = event.As<cursorwire::Retrying>()) {
      PrintRetry(output_, *retrying);
    }
  }
  void OnEnd(const absl::Status&) override {
    output_.Write(marks_.Rest());
    // Only on a terminal.
    if (output_.in_line()) output_.Write("\n");
  }

 private:
  Output& output_;
  LineEnds ends_;
  AnswerMarks marks_;
};

}  // namespace

std::unique_ptr<Printer> Printer::Create(Format format, Output& output, PrintedTurn turn) {
  switch (format) {
    case Format::kText:
      return std::make_unique<TextPrinter>(output);
    case Format::kJson:
      return CreateJsonPrinter(output, std::move(turn.conversation_id));
    case Format::kStreamJson:
      return CreateStreamJsonPrinter(output, std::move(turn.conversation_id));
    case Format::kDocuments:
    case Format::kDocumentsStream:
    case Format::kDocumentsSse:
      return CreateDocumentPrinter(format, output, std::move(turn));
  }
  return nullptr;
}

}  // namespace cursor_chat
