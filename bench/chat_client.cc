#include "chat_client.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <variant>

namespace cursorwire::bench {
namespace {

ChatRequest RequestFor(const Work& work) {
  return {.prompt = absl::StrCat(kPromptWord, " ", work.shape.name, " ", work.messages, " ",
                                 work.shape.message_bytes, "\n")};
}

absl::Status CheckCount(size_t texts, const Work& work) {
  if (texts == work.total()) return absl::OkStatus();
  return absl::InternalError("chat: a turn with another number of texts");
}

absl::Status ReadOne(const Client& client, const Work& work) {
  ChatStream stream = client.Chat(RequestFor(work));
  size_t texts = 0;
  for (const absl::StatusOr<ChatEvent>& event : stream) {
    if (!event.ok()) return event.status();
    if (event->As<TextDelta>() != nullptr) ++texts;
  }
  return CheckCount(texts, work);
}

void StartAll(ChatQueue& queue, const Client& client, const Work& work) {
  for (size_t i = 0; i < work.streams; ++i) queue.Start(client, RequestFor(work), i);
}

// Until there is no completion any more, or so many texts have come.
absl::Status ReadTexts(ChatQueue& queue, size_t wanted, size_t& texts) {
  while (texts < wanted) {
    const std::optional<ChatCompletion> next = queue.Next();
    if (!next) return absl::OkStatus();
    if (const auto* received = std::get_if<ReceivedEvent>(&next->what)) {
      if (received->event.As<TextDelta>() != nullptr) ++texts;
    } else if (const auto& end = std::get<ChatEnd>(next->what); !end.status.ok()) {
      return end.status;
    }
  }
  return absl::OkStatus();
}

absl::Status ReadSeveral(const Client& client, const Work& work) {
  ChatQueue queue;
  StartAll(queue, client, work);
  queue.Shutdown();
  size_t texts = 0;
  absl::Status status = ReadTexts(queue, work.total() + 1, texts);
  return status.ok() ? CheckCount(texts, work) : status;
}

}  // namespace

absl::Status ChatClient::Run(const Work& work, Latencies&) {
  if (work.shape.kind == ShapeKind::kPingPong) {
    return absl::UnimplementedError("chat: no turn is a ping-pong");
  }
  return work.streams == 1 ? ReadOne(client_, work) : ReadSeveral(client_, work);
}

absl::Status ChatClient::Hold(size_t streams) {
  const Work idle{.shape = *FindShape("idle"), .messages = 1, .streams = streams};
  held_ = std::make_unique<ChatQueue>();
  StartAll(*held_, client_, idle);
  size_t texts = 0;
  return ReadTexts(*held_, streams, texts);
}

}  // namespace cursorwire::bench
