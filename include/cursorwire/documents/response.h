// Room: src/documents
#ifndef CURSORWIRE_DOCUMENTS_RESPONSE_H_
#define CURSORWIRE_DOCUMENTS_RESPONSE_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cursorwire/chat.h"
#include "cursorwire/documents/document.h"

namespace cursorwire::documents {

enum class ResponseStatus {
  kStreaming,  // the turn goes on
  kCompleted,
  kError,  // the turn failed or was cancelled; the documents are what came before
};

// Tokens of the whole turn. The first three are 0 where the service did not say.
struct ResponseUsage {
  int64_t prompt_tokens = 0;
  int64_t completion_tokens = 0;
  int64_t total_tokens = 0;  // the sum of both
  std::optional<int64_t> cache_read_tokens{};
  std::optional<int64_t> cache_write_tokens{};
  std::optional<int64_t> reasoning_tokens{};

  friend bool operator==(const ResponseUsage&, const ResponseUsage&) = default;
};

struct ResponseMetadata {
  std::chrono::milliseconds duration{0};  // since the Builder was made
  int32_t tool_call_count = 0;
  int32_t turn_count = 0;  // calls of the model; 1 where the service does not say how many

  friend bool operator==(const ResponseMetadata&, const ResponseMetadata&) = default;
};

// All of a response but its documents. A value.
struct ResponseHead {
  std::string id{};               // "chat_..."
  std::string conversation_id{};  // "conv_..."; empty: not known
  std::string model{};
  AgentMode mode = AgentMode::kAgent;
  std::chrono::system_clock::time_point created{};
  ResponseStatus status = ResponseStatus::kStreaming;
  ResponseUsage usage{};
  ResponseMetadata metadata{};

  friend bool operator==(const ResponseHead&, const ResponseHead&) = default;
};

// An answer as documents. A value.
struct ChatResponse {
  ResponseHead head{};
  std::vector<Document> documents{};  // by their sequence

  friend bool operator==(const ChatResponse&, const ChatResponse&) = default;
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_DOCUMENTS_RESPONSE_H_
