#ifndef CURSORWIRE_APPS_GATEWAY_STATE_STATE_STORE_H_
#define CURSORWIRE_APPS_GATEWAY_STATE_STATE_STORE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "state/sql_database.h"

namespace cursor_gateway {

// Values, blobs, and what the database has beside them; the oldest entries make room.
inline constexpr size_t kMaxStateBytes = size_t{1024} * 1024 * 1024;
// How long blobs that no entry needs are kept, for the entry that follows one that was taken.
inline constexpr std::chrono::minutes kSpareBlobLife{10};
// Between two tries to connect to a database that is away.
inline constexpr std::chrono::seconds kReconnectPause{1};

using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

// What an entry is of. The numbers stand in databases.
enum class StateKind : uint8_t {
  kConversation = 1,  // of chat completions, by the digest of what was said
  kDocument = 2,      // a conversation of documents, by its id
  kResponse = 3,      // what was said up to a response, by its id
  kItem = 4,          // the id of the response that an item is of, by the id of the item
  kAnswer = 5,        // of a request with an Idempotency-Key, by the digest of both and the client
};

// Names an entry. Neither in it nor in the entry is an API key. A value.
struct StateKey {
  StateKind kind = StateKind::kConversation;
  std::string name{};
};

// A value.
struct StateEntry {
  std::string owner{};   // whom it belongs to: the digest of an API key; empty: there are no keys
  int64_t revision = 0;  // for the writer's own use
  std::string value{};
  // Kept under their SHA-256, each once for all entries. Their order is lost.
  std::vector<std::string> blobs{};
};

// What became of a try to claim a key. A value.
struct StateClaim {
  bool granted = false;
  std::string note{};  // of who has it, if not
};

// What gateways keep in a database that they share. Several processes and machines may use it at
// once: each function is one step. It blocks, on one thread at a time; StateThread has one.
//
// Errors: as of SqlDatabase; kUnknown, where it cannot be said whether the change was made.
class StateStore {
 public:
  // `max_bytes`: kMaxStateBytes but in tests.
  explicit StateStore(std::unique_ptr<SqlDatabase> database, size_t max_bytes = kMaxStateBytes);

  // Connects, and makes the tables where there are none. All other functions do so, too.
  //   kFailedPrecondition  also: a newer version of this program made the tables
  absl::Status Open();

  // Stores an entry until then, in place of the former one. With a `holder`, only while that has
  // the claim, which may end in the same step. A document replaces only one of a lower revision.
  //   kAborted  another has the claim, or wrote that revision
  enum class Claimed { kStays, kEnds };
  absl::Status Put(const StateKey& key, const StateEntry& entry, WallTime until,
                   const std::string& holder, Claimed claimed, WallTime now);
  // nullopt: there is none. Value and blobs are left out of the entry of `known_revision`.
  absl::StatusOr<std::optional<StateEntry>> Get(const StateKey& key, int64_t known_revision,
                                                WallTime now);
  // Removes an entry and returns it: of all who try, one has it.
  absl::StatusOr<std::optional<StateEntry>> Take(const StateKey& key, WallTime now);
  // The same without the entry. True: it was there.
  absl::StatusOr<bool> Erase(const StateKey& key, WallTime now);

  // Claims a key until then, whether it has an entry or not; a claim that has lapsed counts for
  // nothing.
  absl::StatusOr<StateClaim> Claim(const StateKey& key, const std::string& holder,
                                   const std::string& note, WallTime until, WallTime now);
  // Lets a claim last until then. False: the holder has lost it.
  absl::StatusOr<bool> Renew(const StateKey& key, const std::string& holder,
                             const std::string& note, WallTime until);
  // Nothing if another has it.
  absl::Status Release(const StateKey& key, const std::string& holder);

  // One step of a sweep, which is short: removes what has expired, blobs that nobody needs, and the
  // oldest entries while all of them are too large. True: there is more to do in another step.
  absl::StatusOr<bool> Sweep(WallTime now);

 private:
  absl::Status InTransaction(const std::function<absl::Status()>& body);
  absl::StatusOr<std::vector<SqlRow>> Run(const std::string& statement,
                                          const std::vector<SqlValue>& values = {});
  absl::Status Do(const std::string& statement, const std::vector<SqlValue>& values = {});
  absl::Status MakeTables();
  absl::Status PutBlob(const std::string& id, const std::string& bytes, int64_t now);
  absl::StatusOr<std::vector<std::string>> BlobsOf(const StateKey& key);
  absl::StatusOr<int64_t> CountBytes();
  absl::Status EndClaim(const StateKey& key, const std::string& holder);
  // True: there may be more.
  absl::StatusOr<bool> RemoveExpired(WallTime now);
  absl::Status RemoveOldest();
  absl::Status RemoveEntry(const SqlRow& entry);
  absl::Status RemoveUnused(const std::vector<SqlRow>& blobs);
  // By the clock that all share.
  int64_t Shared(WallTime time) const;

  const std::unique_ptr<SqlDatabase> database_;
  const size_t max_bytes_;
  std::optional<int64_t> surplus_;  // of bytes; nullopt: no sweep has counted them
  absl::Status away_;               // why it was away at the last try
  std::chrono::steady_clock::time_point retry_{};
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_STATE_STATE_STORE_H_
