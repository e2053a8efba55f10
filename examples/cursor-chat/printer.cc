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

void PrintLine(const json& object) {
  // Text of the service is UTF-8 already; `replace` keeps a line a line whatever comes.
  std::cout << object.dump(-1, ' ', false, json::error_handler_t::replace) << "\n" << std::flush;
}

class TextPrinter final : public Printer {
 public:
  void OnEvent(const ChatEvent& event) override {
    const auto* delta = event.As<cursorwire::TextDelta>();
    if (delta == nullptr || delta->text.empty()) return;
    std::cout << delta->text << std::flush;
    at_line_start_ = delta->text.back() == '\n';
  }
  void OnEnd(const absl::Status&) override {
    // For the eye alone: a file or a pipe gets the text as it is.
    if (!at_line_start_ && ::isatty(STDOUT_FILENO) != 0) std::cout << "\n" << std::flush;
  }

 private:
  bool at_line_start_ = true;
};

class StreamJsonPrinter final : public Printer {
 public:
  void OnEvent(const ChatEvent& event) override {
    std::visit([this](const auto& what) { Print(what); }, event.what());
  }
  void OnEnd(const absl::Status& status) override {
    if (status.ok()) return;
    PrintLine({{"type", "error"}, {"code", CodeOf(status)}, {"message", MessageOf(status)}});
  }

 private:
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
};

class JsonPrinter final : public Printer {
 public:
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
    PrintLine(object);
  }

 private:
  std::string text_;
  std::string thinking_;
  json usage_;
};

}  // namespace

std::unique_ptr<Printer> Printer::Create(Format format) {
  switch (format) {
    case Format::kText:
      return std::make_unique<TextPrinter>();
    case Format::kJson:
      return std::make_unique<JsonPrinter>();
    case Format::kStreamJson:
      return std::make_unique<StreamJsonPrinter>();
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
  std::cerr << "cursor-chat: warning: " << CodeOf(status) << ": " << OneLine(MessageOf(status))
            << "\n";
}

}  // namespace cursor_chat
