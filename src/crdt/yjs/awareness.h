#ifndef CURSORWIRE_SRC_CRDT_YJS_AWARENESS_H_
#define CURSORWIRE_SRC_CRDT_YJS_AWARENESS_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::yjs {

// What peers tell of themselves, such as names and cursors: docs/collab/yjs.md, "Awareness". A
// state is JSON text that nobody here looks into; that of a client that is gone is kGoneState.

constexpr std::string_view kGoneState = "null";
// In one update, and in one table, with ourselves.
constexpr size_t kMaxAwarenessClients = 1024;
constexpr size_t kMaxAwarenessStateBytes = size_t{64} * 1024;

struct AwarenessEntry {
  uint64_t client = 0;
  uint64_t clock = 0;  // of its states; a higher one is newer
  std::string_view state{};

  friend bool operator==(const AwarenessEntry&, const AwarenessEntry&) = default;
};

// Views of `bytes`, in their order. Entries are left out if their state is longer than
// kMaxAwarenessStateBytes, or is not UTF-8.
//   kInvalidArgument    it does not follow the format, is cut off, or has more than its end
//   kResourceExhausted  more than kMaxAwarenessClients
absl::StatusOr<std::vector<AwarenessEntry>> ReadAwareness(std::string_view bytes);
std::string WriteAwareness(std::span<const AwarenessEntry> entries);

// The states of all clients of a document. No I/O; time is an argument.
//
// Order: any. After each call: TakeUpdate(), and OnDeadline() at deadline().
// Memory: at most kMaxAwarenessClients states of kMaxAwarenessStateBytes. If that many clients are
// there, further ones are ignored.
// Thread-compatible.
class AwarenessStates {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Without an entry, a client is gone after kForgetAfter. So the own state is sent again before.
  static constexpr std::chrono::seconds kSendAgainAfter{15};
  static constexpr std::chrono::seconds kForgetAfter{30};

  explicit AwarenessStates(uint64_t own_client) : own_client_(own_client) {}

  // The own state, which must not be longer than kMaxAwarenessStateBytes. kGoneState: as Leave().
  // The same state as before is sent, too.
  void SetOwn(std::string_view state);
  // Others are told that we are gone, if they were told of us. SetOwn() brings us back.
  void Leave();

  // Takes what a peer has sent. Returns the other clients that came, left, or have another state
  // now, ascending. If it says that we are gone, and we are not, our state is sent again.
  std::vector<uint64_t> Apply(std::span<const AwarenessEntry> entries, TimePoint now);

  // The own entry for all peers; nullopt: they have it.
  std::optional<std::string> TakeUpdate(TimePoint now);

  // nullopt: none.
  std::optional<TimePoint> deadline() const;
  // Returns the clients that are gone now, ascending. Too early it does nothing.
  std::vector<uint64_t> OnDeadline(TimePoint now);

  // Who is there, first ourselves if there is an own state, then by client: the answer for a peer
  // that asks. The views are valid until the next call that changes something.
  std::vector<AwarenessEntry> All() const;

 private:
  struct Other {
    uint64_t clock = 0;
    std::optional<std::string> state{};  // nullopt: gone; the clock still counts
    TimePoint received{};
  };

  void ApplyToOwn(const AwarenessEntry& entry);
  // Whether something changed.
  bool ApplyToOther(const AwarenessEntry& entry, TimePoint now);
  // Whether there is room for one more, after one that is gone was dropped.
  bool MakeRoom();
  // From now on the own entry has a clock above `clock`, and is to be sent.
  void RaiseAbove(uint64_t clock);

  const uint64_t own_client_;
  uint64_t own_clock_ = 0;  // as peers think of a client that they do not know
  std::optional<std::string> own_state_;
  bool to_send_ = false;
  TimePoint sent_{};
  std::map<uint64_t, Other> others_;
};

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_AWARENESS_H_
