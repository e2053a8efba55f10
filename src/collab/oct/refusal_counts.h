#ifndef CURSORWIRE_SRC_COLLAB_OCT_REFUSAL_COUNTS_H_
#define CURSORWIRE_SRC_COLLAB_OCT_REFUSAL_COUNTS_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace cursorwire::oct {

enum class Refusal : uint8_t {
  kUndecipherable,  // one alone says nothing: a key may have changed meanwhile
  kMalformed,
  kDocument,  // an update of the text that was not taken
  kPeer,      // a peer that cannot get what we send, or was not taken
  kTooLong,   // ours
};

// How often something was refused, and when that is worth a line: who sends nothing but rubbish
// must not fill a log with it. Thread-compatible.
class RefusalCounts {
 public:
  // Up to this count each refusal is told of; of kUndecipherable the first time is at this count.
  static constexpr uint64_t kToldSingly = 10;

  // Counts one more. Beyond kToldSingly, each tenfold count is told of.
  bool IsWorthTelling(Refusal kind) {
    const uint64_t count = ++counts_[static_cast<size_t>(kind)];
    if (count < kToldSingly) return kind != Refusal::kUndecipherable;
    uint64_t power = kToldSingly;
    while (power <= count / 10) power *= 10;
    return count == power;
  }
  uint64_t count(Refusal kind) const { return counts_[static_cast<size_t>(kind)]; }

 private:
  std::array<uint64_t, 5> counts_{};
};

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_REFUSAL_COUNTS_H_
