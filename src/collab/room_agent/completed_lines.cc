#include "collab/room_agent/completed_lines.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace cursorwire::room_agent {
namespace {

bool HasSeveralLines(std::string_view text) {
  const size_t feed = text.find('\n');
  return feed != std::string_view::npos && feed + 1 < text.size();
}

// Whether the text was put there as a whole: in place of another, or several lines where there was
// none.
bool IsLoad(const std::vector<yjs::TextChange>& changes, uint32_t text_bytes) {
  bool deletes = false;
  const std::string* all = nullptr;
  for (const yjs::TextChange& change : changes) {
    deletes |= change.deleted.bytes > 0;
    if (!change.inserted.empty() && change.inserted.size() == text_bytes) all = &change.inserted;
  }
  return all != nullptr && (deletes || HasSeveralLines(*all));
}

// Where these places are after the change; those in what it deletes are dropped.
void FollowFeeds(const yjs::TextChange& change, std::vector<uint32_t>& feeds) {
  const uint32_t end = change.at.bytes + change.deleted.bytes;
  std::erase_if(feeds,
                [&change, end](uint32_t feed) { return feed >= change.at.bytes && feed < end; });
  const auto inserted = static_cast<uint32_t>(change.inserted.size());
  for (uint32_t& feed : feeds) {
    if (feed >= end) feed = feed - change.deleted.bytes + inserted;
  }
}

}  // namespace

std::vector<uint32_t> CompletedLines(const std::vector<yjs::TextChange>& changes,
                                     uint32_t text_bytes) {
  std::vector<uint32_t> feeds;
  if (IsLoad(changes, text_bytes)) return feeds;
  for (const yjs::TextChange& change : changes) {
    FollowFeeds(change, feeds);
    const size_t feed = change.inserted.find('\n');
    if (feed == std::string::npos) continue;
    if (feeds.size() == kMaxCompletedLines) feeds.erase(feeds.begin());
    feeds.push_back(change.at.bytes + static_cast<uint32_t>(feed));
  }
  return feeds;
}

}  // namespace cursorwire::room_agent
