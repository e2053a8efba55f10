#include "client/conversation_content.h"

#include <optional>
#include <string>
#include <utility>

#include "agent/history/state_blobs.h"

namespace cursorwire {

SessionContent ContentOf(const ConversationCore& core) {
  SessionContent content{.snapshot = core.snapshot()};
  const BlobStore& blobs = *core.blobs();
  for (const std::string& id : agent::FindStateBlobs(content.snapshot.state, blobs).found) {
    if (std::optional<std::string> blob = blobs.Get(id)) content.blobs.push_back(*std::move(blob));
  }
  if (!content.snapshot.history.empty()) {
    content.head.title = SessionTitle(content.snapshot.history[0].prompt);
  }
  return content;
}

std::shared_ptr<ConversationCore> MakeCore(SessionContent content, ConversationOptions options) {
  if (options.blobs == nullptr) options.blobs = std::make_shared<MemoryBlobStore>();
  for (const std::string& blob : content.blobs) options.blobs->Put(blob);
  ConversationSnapshot& snapshot = content.snapshot;
  // A state with holes would make the service forget without a word.
  if (!snapshot.broken && agent::FindStateBlobs(snapshot.state, *options.blobs).missing > 0) {
    snapshot.broken = RebuildReason::kStateIncomplete;
  }
  return std::make_shared<ConversationCore>(std::move(options), std::move(snapshot));
}

}  // namespace cursorwire
