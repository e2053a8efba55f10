#include "client/conversation/conversation_content.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/history/noted_blobs.h"
#include "agent/history/state_blobs.h"

namespace cursorwire {

SessionContent ContentOf(const ConversationCore& core) {
  SessionContent content{.snapshot = core.snapshot()};
  const agent::NotedBlobs& blobs = core.blobs();
  const std::vector<std::string> noted = blobs.noted();
  std::vector<std::string> of_state = agent::FindStateBlobs(content.snapshot.state, blobs).found;
  absl::flat_hash_set<std::string> ids(of_state.begin(), of_state.end());
  size_t room = BlobLimits{}.total_bytes;
  const auto add = [&content, &room](std::string bytes) {
    room -= std::min(room, bytes.size());
    content.blobs.push_back(std::move(bytes));
  };
  // From the back to the front: the others are left out where there is no room.
  std::reverse(of_state.begin(), of_state.end());
  for (const std::string& id : of_state) {
    if (std::optional<std::string> blob = blobs.Peek(id)) add(*std::move(blob));
  }
  for (auto id = noted.rbegin(); id != noted.rend(); ++id) {
    if (!ids.insert(*id).second) continue;
    std::optional<std::string> blob = blobs.Peek(*id);
    if (blob && blob->size() > room) break;
    if (blob) add(*std::move(blob));
  }
  std::reverse(content.blobs.begin(), content.blobs.end());
  if (!content.snapshot.history.empty()) {
    content.head.title = SessionTitle(content.snapshot.history[0].prompt);
  }
  return content;
}

std::shared_ptr<ConversationCore> MakeCore(SessionContent content, ConversationOptions options) {
  if (options.blobs == nullptr) options.blobs = std::make_shared<MemoryBlobStore>();
  std::vector<std::string> ids;
  ids.reserve(content.blobs.size());
  for (const std::string& blob : content.blobs) ids.push_back(options.blobs->Put(blob));
  ConversationSnapshot& snapshot = content.snapshot;
  // A state with holes would make the service forget without a word.
  if (!snapshot.broken && agent::FindStateBlobs(snapshot.state, *options.blobs).missing > 0) {
    snapshot.broken = RebuildReason::kStateIncomplete;
  }
  auto core = std::make_shared<ConversationCore>(std::move(options), std::move(snapshot));
  for (size_t i = 0; i < ids.size(); ++i) core->blobs().Note(ids[i], content.blobs[i].size());
  return core;
}

}  // namespace cursorwire
