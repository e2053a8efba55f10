#ifndef CURSORWIRE_APPS_GATEWAY_STATE_STATE_STORE_H_
#define CURSORWIRE_APPS_GATEWAY_STATE_STATE_STORE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "state/sql_database.h"

namespace cursor_gateway {

// Values, blobs, and what the database has beside them. Where it is more, the oldest entries make
// room of the owner that has most.
inline constexpr size_t kMaxStateBytes = size_t{1024} * 1024 * 1024;
// The same of what only this process keeps.
inline constexpr size_t kMaxMemoryBytes = size_t{256} * 1024 * 1024;
// What a claim lasts, at most; that of a process that is dead lapses by then.
inline constexpr std::chrono::seconds kClaimLease{30};
// How long blobs that no entry needs are kept, for the entry that follows one that was taken.
inline constexpr std::chrono::minutes kSpareBlobLife{10};
// Between two tries to connect to a database that is away.
inline constexpr std::chrono::seconds kReconnectPause{1};

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
  // Kept under their SHA-256, each once for all entries of the owner. Their order is lost.
  std::vector<std::string> blobs{};
};

size_t BytesOf(const StateEntry& entry);

// What became of a try to claim a key. A value.
struct StateClaim {
  bool granted = false;
  std::string note{};                 // of who has it, if not
  std::optional<StateEntry> entry{};  // for the StateKeeper, which reads it with the claim
};

// What gateways keep in a database that they share. Several processes and machines may use it at
// once: each function is one step. It blocks, on one thread at a time.
//
// Times are the database's own. A claim that ends far later than one made now was made before the
// clock was put back, or before the machine started anew: it counts as one that has lapsed.
//
// Errors: as of SqlDatabase; kUnknown, where it cannot be said whether the change was made.
class StateStore {
 public:
  // `max_bytes`: kMaxStateBytes but in tests.
  explicit StateStore(std::unique_ptr<SqlDatabase> database, size_t max_bytes = kMaxStateBytes);

  size_t max_bytes() const { return max_bytes_; }

  // Connects, and makes the tables where there are none. All other functions do so, too.
  //   kFailedPrecondition  also: a newer version of this program made the tables
  absl::Status Open();

  // Stores an entry for `life`, in place of the former one. With a `holder`, only while that has
  // the claim, which may end in the same step. A document replaces only one of a lower revision.
  //   kAborted  another has the claim, or wrote that revision
  enum class Claimed { kStays, kEnds };
  absl::Status Put(const StateKey& key, const StateEntry& entry, std::chrono::milliseconds life,
                   const std::string& holder, Claimed claimed);
  // nullopt: there is none. Value and blobs are left out of the entry of `known_revision`.
  absl::StatusOr<std::optional<StateEntry>> Get(const StateKey& key, int64_t known_revision);
  // The entries of one owner, in the order of `keys`; nullopt: there is none, or it is another's.
  //   kOutOfRange  they are over `max_bytes` together
  using Entries = std::vector<std::optional<StateEntry>>;
  absl::StatusOr<Entries> GetAll(const std::vector<StateKey>& keys, const std::string& owner,
                                 size_t max_bytes);
  // Removes an entry and returns it: of all who try, one has it.
  absl::StatusOr<std::optional<StateEntry>> Take(const StateKey& key);
  // The same without the entry. True: it was there.
  absl::StatusOr<bool> Erase(const StateKey& key);

  // Claims a key for `lease`, at most kClaimLease, whether it has an entry or not; a claim that has
  // lapsed counts for nothing.
  absl::StatusOr<StateClaim> Claim(const StateKey& key, const std::string& holder,
                                   const std::string& note, std::chrono::milliseconds lease);
  // Lets a claim last so long from now. False: the holder has lost it.
  absl::StatusOr<bool> Renew(const StateKey& key, const std::string& holder,
                             const std::string& note, std::chrono::milliseconds lease);
  // Nothing if another has it.
  absl::Status Release(const StateKey& key, const std::string& holder);

  // One step of a sweep, which is short: removes what has expired and blobs that nobody needs;
  // then, while all is too large, what the owner that has most can do without, and its oldest
  // entries. True: there is more to do in another step.
  absl::StatusOr<bool> Sweep();

 private:
  // Runs a function that returns a Status, or a StatusOr, within a transaction.
  template <typename Body>
  std::invoke_result_t<Body> Transact(const Body& body);
  // The same, once all is open.
  template <typename Body>
  std::invoke_result_t<Body> InTransaction(const Body& body);
  absl::StatusOr<std::vector<SqlRow>> Run(const std::string& statement,
                                          const std::vector<SqlValue>& values = {});
  absl::Status Do(const std::string& statement, const std::vector<SqlValue>& values = {});
  absl::Status DoAll(const std::vector<std::string>& statements);
  absl::Status MakeTables();
  absl::Status PutBlob(const std::string& id, const std::string& owner, const std::string& bytes);
  absl::StatusOr<std::optional<StateEntry>> Read(const StateKey& key, int64_t known_revision);
  // In a transaction of its own. True: it returned a row.
  absl::StatusOr<bool> Changes(const std::string& statement, const std::vector<SqlValue>& values);
  absl::StatusOr<std::vector<std::string>> BlobsOf(const StateKey& key);
  absl::Status EndClaim(const StateKey& key, const std::string& holder);
  // True: there may be more.
  absl::StatusOr<bool> RemoveExpired();
  absl::Status MakeRoom();
  absl::Status RemoveEntry(const SqlRow& entry);
  absl::Status RemoveUnused(const std::vector<SqlRow>& blobs);

  const std::unique_ptr<SqlDatabase> database_;
  const size_t max_bytes_;
  std::optional<int64_t> surplus_;  // of bytes; nullopt: no sweep has counted them
  absl::Status away_;               // why it was away at the last try
  std::chrono::steady_clock::time_point retry_{};
};

struct OpenedState {
  std::unique_ptr<StateStore> store{};
  // Why nothing can be kept now; later calls try again. OK: it is there.
  absl::Status away{};
};

// The store of `--state`: a folder, or a URL of PostgreSQL ("postgresql://", "postgres://").
//   kFailedPrecondition  nothing can be kept there, whatever happens later: a folder that cannot be
//                        written, tables of a newer version, a URL that this build does not know
// `clocks` count for a folder; PostgreSQL has its own.
absl::StatusOr<OpenedState> OpenState(const std::string& place, SqliteClocks clocks = {});

// The store without `--state`: in memory, for this process alone.
std::unique_ptr<StateStore> MakeMemoryState(SqliteClocks clocks = {});

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_STATE_STATE_STORE_H_
