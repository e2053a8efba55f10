#include "chat_client.h"

#include <absl/strings/str_cat.h>

#include <optional>

namespace cursorwire::bench {
namespace {

ChatRequest RequestFor(const Work& work) {
  return {.prompt = absl::StrCat(kPromptWord, " ", work.shape.name, " ", work.messages, " ",
                                 work.shape.message_bytes, "\n")};
}

std::vector<ChatStream> StartAll(const Client& client, const Work& work) {
  std::vector<ChatStream> turns;
  for (size_t i = 0; i < work.streams; ++i) turns.push_back(client.Chat(RequestFor(work)));
  return turns;
}

// Several turns are read in turn, an event of each.
absl::Status ReadAll(std::vector<ChatStream>& turns, size_t& texts) {
  for (size_t ended = 0; ended < turns.size();) {
    for (ChatStream& turn : turns) {
      const auto event = turn.Next();
      if (!event) {
        ++ended;
      } else if (!event->ok()) {
        return event->status();
      } else if ((*event)->As<TextDelta>() != nullptr) {
        ++texts;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status ReadFirstText(ChatStream& turn) {
  while (const auto event = turn.Next()) {
    if (!event->ok()) return event->status();
    if ((*event)->As<TextDelta>() != nullptr) return absl::OkStatus();
  }
  return absl::InternalError("chat: a turn without a text");
}

}  // namespace

absl::Status ChatClient::Run(const Work& work, Latencies&) {
  if (work.shape.kind == ShapeKind::kPingPong) {
    return absl::UnimplementedError("chat: no turn is a ping-pong");
  }
  std::vector<ChatStream> turns = StartAll(client_, work);
  size_t texts = 0;
  if (absl::Status status = ReadAll(turns, texts); !status.ok()) return status;
  if (texts == work.total()) return absl::OkStatus();
  return absl::InternalError("chat: turns with another number of texts");
}

absl::Status ChatClient::Hold(size_t streams) {
  held_ = StartAll(client_, {.shape = *FindShape("idle"), .messages = 1, .streams = streams});
  for (ChatStream& turn : held_) {
    if (absl::Status status = ReadFirstText(turn); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace cursorwire::bench
