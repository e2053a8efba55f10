#include "printer.h"

#include <cursorwire/connect/code.h>
#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace cursor_chat {
namespace {

using cursorwire::ChatEvent;
using nlohmann::json;

std::string CodeOf(const absl::Status& status) {
  return std::string(cursorwire::connect::CodeText(status.code()));
}

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

json ToJson(const cursorwire::Usage& usage) {
  json object = json::object();
  const auto add = [&object](const char* name, const std::optional<int64_t>& value) {
    if (value) object[name] = *value;
  };
  add("input_tokens", usage.input_tokens);
  add("output_tokens", usage.output_tokens);
  add("cache_read_tokens", usage.cache_read_tokens);
  add("cache_write_tokens", usage.cache_write_tokens);
  add("reasoning_tokens", usage.reasoning_tokens);
  return object;
}

// Text of the service is UTF-8 already; `replace` keeps a line a line whatever comes.
std::string Line(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

class TextPrinter final : public Printer {
 public:
  explicit TextPrinter(Output& output) : output_(output) {}

  void OnEvent(const ChatEvent& event) override {
    const auto* delta = event.As<cursorwire::TextDelta>();
    if (delta == nullptr || delta->text.empty()) return;
    output_.Write(delta->text);
    at_line_start_ = delta->text.back() == '\n';
  }
  void OnEnd(const absl::Status&) override {
    // For the eye alone: a file or a pipe gets the text as it is.
    if (!at_line_start_ && ::isatty(STDOUT_FILENO) != 0) output_.Write("\n");
  }

 private:
  Output& output_;
  bool at_line_start_ = true;
};

class StreamJsonPrinter final : public Printer {
 public:
  explicit StreamJsonPrinter(Output& output) : output_(output) {}

  void OnEvent(const ChatEvent& event) override {
    std::visit([this](const auto& what) { Print(what); }, event.what());
  }
  void OnEnd(const absl::Status& status) override {
    if (status.ok()) return;
    PrintLine({{"type", "error"}, {"code", CodeOf(status)}, {"message", MessageOf(status)}});
  }

 private:
  void PrintLine(const json& object) { output_.Write(Line(object)); }
  void Print(const cursorwire::TextDelta& delta) {
    PrintLine({{"type", "text_delta"}, {"text", delta.text}});
  }
  void Print(const cursorwire::ThinkingDelta& delta) {
    PrintLine({{"type", "thinking_delta"}, {"text", delta.text}});
  }
  void Print(const cursorwire::TokenUsage& usage) {
    PrintLine({{"type", "token_usage"}, {"tokens", usage.tokens}});
  }
  void Print(const cursorwire::Checkpoint& checkpoint) {
    PrintLine({{"type", "checkpoint"}, {"bytes", checkpoint.state.size()}});
  }
  void Print(const cursorwire::StateLost&) {}  // main() warns
  void Print(const cursorwire::TurnEnded& ended) {
    PrintLine({{"type", "turn_ended"}, {"usage", ToJson(ended.usage)}});
  }

  Output& output_;
};

class JsonPrinter final : public Printer {
 public:
  explicit JsonPrinter(Output& output) : output_(output) {}

  void OnEvent(const ChatEvent& event) override {
    if (const auto* text = event.As<cursorwire::TextDelta>()) {
      text_ += text->text;
    } else if (const auto* thinking = event.As<cursorwire::ThinkingDelta>()) {
      thinking_ += thinking->text;
    } else if (const auto* ended = event.As<cursorwire::TurnEnded>()) {
      usage_ = ToJson(ended->usage);
    }
  }
  void OnEnd(const absl::Status& status) override {
    json object = {{"text", text_}, {"thinking", thinking_}, {"usage", usage_}};
    if (!status.ok()) {
      object["error"] = {{"code", CodeOf(status)}, {"message", MessageOf(status)}};
    }
    output_.Write(Line(object));
  }

 private:
  Output& output_;
  std::string text_;
  std::string thinking_;
  json usage_;
};

}  // namespace

std::unique_ptr<Printer> Printer::Create(Format format, Output& output) {
  switch (format) {
    case Format::kText:
      return std::make_unique<TextPrinter>(output);
    case Format::kJson:
      return std::make_unique<JsonPrinter>(output);
    case Format::kStreamJson:
      return std::make_unique<StreamJsonPrinter>(output);
  }
  return nullptr;
}

std::string OneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return text;
}

void PrintError(const absl::Status& status) {
  std::cerr << "cursor-chat: error: " << CodeOf(status) << ": " << OneLine(MessageOf(status))
            << "\n";
}

void PrintWarning(const absl::Status& status) {
  PrintWarning(CodeOf(status) + ": " + MessageOf(status));
}

void PrintWarning(const std::string& text) {
  std::cerr << "cursor-chat: warning: " << OneLine(text) << "\n";
}

}  // namespace cursor_chat
