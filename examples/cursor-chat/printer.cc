#include "printer.h"

#include "json_printers.h"
#include "notices.h"

namespace cursor_chat {
namespace {

using cursorwire::ChatEvent;

class TextPrinter final : public Printer {
 public:
  explicit TextPrinter(Output& output) : output_(output) {}

  void OnEvent(const ChatEvent& event) override {
    if (const auto* delta = event.As<cursorwire::TextDelta>()) {
      output_.Write(delta->text);
    } else if (const auto* notice = event.As<cursorwire::ServerNotice>()) {
      PrintNotice(output_, notice->text);
    } else if (const auto* started = event.As<cursorwire::ToolCallStarted>()) {
      PrintToolLine(output_, started->call);
    }
  }
  void OnEnd(const absl::Status&) override {
    // For the eye alone: a file or a pipe gets the text as it is.
    if (output_.in_line()) output_.Write("\n");
  }

 private:
  Output& output_;
};

}  // namespace

std::unique_ptr<Printer> Printer::Create(Format format, Output& output,
                                         const std::string& conversation_id) {
  switch (format) {
    case Format::kText:
      return std::make_unique<TextPrinter>(output);
    case Format::kJson:
      return CreateJsonPrinter(output, conversation_id);
    case Format::kStreamJson:
      return CreateStreamJsonPrinter(output, conversation_id);
  }
  return nullptr;
}

}  // namespace cursor_chat
