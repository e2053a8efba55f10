#include "text_message.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "wire/proto_writer.h"

namespace cursorwire::bench {

std::string TextMessage(size_t bytes) {
  const auto within = [](uint32_t number, std::string_view message) {
    wire::ProtoWriter writer;
    writer.Bytes(number, message);
    return std::move(writer).message();
  };
  std::string message;
  for (size_t text = bytes; message.empty() || message.size() > bytes; --text) {
    // AgentServerMessage.interaction_update.text_delta.text
    message = within(1, within(1, within(1, std::string(text, 'm'))));
  }
  return message;
}

}  // namespace cursorwire::bench
