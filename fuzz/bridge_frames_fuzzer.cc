// Feeds a parent's bytes to FrameParser, whole and in pieces, and its first messages to the parsers
// of the configuration and of `open`.
//
// Input: byte 0 is the number of piece sizes; then that many bytes, each a piece size, which are
// used in rotation (0 counts as 1); the rest are the parent's bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config.h"
#include "frame.h"
#include "parent_output.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;
using h2_bridge::FrameParser;

struct Result {
  std::vector<std::string> messages;  // the last one may be incomplete
  bool failed = false;
  bool at_border = false;

  friend bool operator==(const Result&, const Result&) = default;
};

class Run {
 public:
  void Feed(std::string_view piece) {
    for (;;) {
      const size_t before = piece.size();
      const auto next = parser_.Next(piece);
      if (!next.ok()) {
        result_.failed = true;
        return;
      }
      Check(!result_.failed);
      if (!next->has_value()) break;
      Check((*next)->bytes.size() <= before);
      Check((*next)->first == !open_);
      if ((*next)->first) result_.messages.emplace_back();
      std::string& message = result_.messages.back();
      message += (*next)->bytes;
      Check(message.size() <= (*next)->message_bytes);
      Check((*next)->message_bytes <= h2_bridge::kMaxMessageBytes);
      Check((*next)->last == (message.size() == (*next)->message_bytes));
      open_ = !(*next)->last;
    }
    Check(piece.empty());
  }
  Result End() {
    result_.at_border = !result_.failed && parser_.at_border();
    return result_;
  }

 private:
  FrameParser parser_;
  bool open_ = false;
  Result result_;
};

Result ParseInPieces(std::string_view bytes, std::string_view piece_sizes) {
  Run run;
  for (size_t turn = 0; !bytes.empty(); ++turn) {
    // Without sizes, byte by byte.
    const size_t size = piece_sizes.empty()
                            ? size_t{1}
                            : static_cast<uint8_t>(piece_sizes[turn % piece_sizes.size()]);
    const std::string_view piece = bytes.substr(0, std::max<size_t>(size, 1));
    bytes.remove_prefix(piece.size());
    run.Feed(std::string(piece));  // a temporary: the parser must keep no view of it
  }
  return run.End();
}

void ParseJson(const std::string& message) {
  const auto config = h2_bridge::ParseConfig(message);
  if (config.ok()) {
    Check(!config->url.empty() && !config->path.empty());
    for (const auto time : {config->connect_timeout, config->idle_timeout, config->ping_interval}) {
      Check(time.count() >= 0 && time <= h2_bridge::kMaxMilliseconds);
    }
    Check(!config->unary || config->lifetime == h2_bridge::Lifetime::kResponse);
  }
  if (h2_bridge::ParseOpenCommand(message)) Check(config.ok() && message.starts_with('{'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const std::string_view piece_sizes = input.TakeShortString();
  const std::string_view bytes = input.TakeRest();

  Run whole_run;
  whole_run.Feed(bytes);
  const Result whole = whole_run.End();
  Check(ParseInPieces(bytes, piece_sizes) == whole);
  for (const std::string& message : whole.messages) ParseJson(message);

  // What the bridge writes, its parser reads.
  if (whole.at_border) {
    h2_bridge::ParentOutput output;
    for (const std::string& message : whole.messages) output.Add(message);
    Check(output.view() == bytes);
  }
  return 0;
}
