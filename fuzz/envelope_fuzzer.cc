// Feeds a body to EnvelopeDecoder, whole and in pieces.
//
// Input: byte 0 is the limit of a message; byte 1 the number of piece sizes; then that many bytes,
// each a piece size, which are used in rotation (0 is an empty piece); the rest is the body.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/fuzzed_input.h"
#include "support/harness.h"
#include "wire/envelope.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;
using cursorwire::wire::EnvelopeDecoder;
using cursorwire::wire::EnvelopeView;
using cursorwire::wire::kEnvelopePrefixBytes;

struct Result {
  std::vector<std::pair<uint8_t, std::string>> envelopes;
  std::string error;   // of Next(); empty: no error
  std::string finish;  // the message of Finish()
  size_t credit = 0;   // of all envelopes together

  friend bool operator==(const Result&, const Result&) = default;
};

class Run {
 public:
  explicit Run(size_t limit) : limit_(limit), decoder_(limit) {}

  void Feed(std::string_view piece) {
    const bool failed = !result_.error.empty();
    const size_t completed = decoder_.Feed(piece);
    Check(!failed || completed == 0);
    fed_ += piece.size();
    const size_t credit_before = result_.credit;
    Drain();
    Check(result_.credit - credit_before == completed);
    Check(result_.credit <= fed_);
    // One incomplete envelope remains.
    Check(decoder_.buffered_bytes() <= limit_ + kEnvelopePrefixBytes);
    Check(!result_.error.empty() || result_.credit + decoder_.buffered_bytes() == fed_);
  }

  Result End() {
    const absl::Status finish = decoder_.Finish();
    Check(result_.error.empty() || !finish.ok());
    result_.finish = finish.ToString();
    return result_;
  }

 private:
  void Drain() {
    for (;;) {
      const absl::StatusOr<std::optional<EnvelopeView>> next = decoder_.Next();
      if (!next.ok()) {
        Check(result_.error.empty() || result_.error == next.status().ToString());
        result_.error = next.status().ToString();
        return;
      }
      Check(result_.error.empty());
      if (!next->has_value()) return;
      const EnvelopeView& view = **next;
      Check(view.payload.size() <= limit_);
      Check(view.credit == view.payload.size() + kEnvelopePrefixBytes);
      result_.credit += view.credit;
      result_.envelopes.emplace_back(view.flags, view.payload);
    }
  }

  const size_t limit_;
  EnvelopeDecoder decoder_;
  size_t fed_ = 0;
  Result result_;
};

Result DecodeWhole(std::string_view body, size_t limit) {
  Run run(limit);
  run.Feed(body);
  return run.End();
}

Result DecodeInPieces(std::string_view body, size_t limit, std::string_view piece_sizes) {
  Run run(limit);
  size_t turn = 0;
  // Only empty pieces would never end.
  if (piece_sizes.find_first_not_of('\0') == std::string_view::npos) piece_sizes = "\1";
  while (!body.empty()) {
    const auto size = static_cast<uint8_t>(piece_sizes[turn++ % piece_sizes.size()]);
    const std::string_view piece = body.substr(0, size);
    body.remove_prefix(piece.size());
    run.Feed(std::string(piece));  // a temporary: the decoder must keep no view of it
  }
  return run.End();
}

// The complete envelopes, encoded again.
std::string Encode(const Result& result) {
  std::string bytes;
  for (const auto& [flags, payload] : result.envelopes) {
    Check(cursorwire::wire::AppendEnvelope(flags, payload, bytes).ok());
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const size_t limit = input.TakeByte();
  const std::string_view piece_sizes = input.TakeShortString();
  const std::string_view body = input.TakeRest();

  const Result whole = DecodeWhole(body, limit);
  Check(DecodeInPieces(body, limit, piece_sizes) == whole);

  const std::string encoded = Encode(whole);
  Check(whole.credit == encoded.size());
  Check(body.substr(0, encoded.size()) == encoded);
  if (whole.error.empty()) {
    Check((whole.finish == absl::OkStatus().ToString()) == (encoded.size() == body.size()));
  }
  return 0;
}
