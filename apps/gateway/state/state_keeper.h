#ifndef CURSORWIRE_APPS_GATEWAY_STATE_STATE_KEEPER_H_
#define CURSORWIRE_APPS_GATEWAY_STATE_STATE_KEEPER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "http/event_loop.h"
#include "metrics.h"
#include "state/state_store.h"

namespace cursor_gateway {

// A store that has not answered by then is away.
inline constexpr std::chrono::seconds kStateTimeout{3};
// Claims of a process that lives are renewed.
inline constexpr std::chrono::seconds kClaimRenewal{10};
// Entries that are not written again.
inline constexpr std::chrono::hours kStateLife{168};
inline constexpr std::chrono::minutes kStateSweep{1};
// The same where this part of all that is kept was written in between.
inline constexpr size_t kSweepPart = 16;
// What waits for the store; more is refused.
inline constexpr size_t kMaxStateJobs = 4096;
inline constexpr size_t kMaxStateJobBytes = size_t{256} * 1024 * 1024;
// What waits at the end is done for so long, and then left.
inline constexpr std::chrono::seconds kLastJobs{5};

class StateKeeper;

// A claim that this process has: renewed while it lives, and given back at its end. On the loop's
// thread. It may outlive its keeper.
class StateHold {
 public:
  StateHold(StateKeeper& keeper, StateKey key, std::string note, std::chrono::milliseconds lease);
  ~StateHold();
  StateHold(const StateHold&) = delete;
  StateHold& operator=(const StateHold&) = delete;

  const StateKey& key() const { return key_; }
  const std::string& holder() const { return holder_; }
  const std::string& note() const { return note_; }
  std::chrono::milliseconds lease() const { return lease_; }
  // What others are told of it from now on, and how long it lasts if this process dies.
  void Change(std::string note, std::chrono::milliseconds lease);

 private:
  const std::weak_ptr<StateKeeper*> keeper_;
  const StateKey key_;
  const std::string holder_;
  std::string note_;
  std::chrono::milliseconds lease_;
};

// What became of StateKeeper::Claim(). A value.
struct StateClaimed {
  std::shared_ptr<StateHold> hold{};  // nullptr: another has it
  std::string note{};                 // of the other
  std::optional<StateEntry> entry{};  // if it was granted, and there is one
};

// What is kept of conversations and answers, as the loop's thread sees it: nothing here blocks, and
// each answer comes later, in the order of the calls. Each error is counted; a store that does not
// answer in time is away, and is not asked again until it does.
class StateKeeper {
 public:
  template <typename T>
  using Done = std::function<void(absl::StatusOr<T>)>;
  using Log = std::function<void(const std::string& line)>;

  // `log` hears when errors begin.
  StateKeeper(EventLoop& loop, Metrics& metrics, std::unique_ptr<StateStore> store, Log log = {});
  // Writes what waits, for kLastJobs.
  ~StateKeeper();
  StateKeeper(const StateKeeper&) = delete;
  StateKeeper& operator=(const StateKeeper&) = delete;

  using Claimed = StateStore::Claimed;
  using Written = std::function<void(const absl::Status&)>;
  // With a `holder`, only while that has the claim; `claimed` says whether it ends with it. `done`
  // may be empty.
  void Put(const StateKey& key, StateEntry entry, std::chrono::milliseconds life, Written done,
           const std::string& holder = "", Claimed claimed = Claimed::kStays);
  // As of StateStore::GetAll().
  void GetAll(std::vector<StateKey> keys, const std::string& owner, size_t max_bytes,
              Done<StateStore::Entries> done);
  void Take(const StateKey& key, Done<std::optional<StateEntry>> done);
  void Erase(const StateKey& key);
  // Claims a key, and gets its entry. An entry of `known_revision` comes without its value.
  void Claim(const StateKey& key, std::string note, std::chrono::milliseconds lease,
             int64_t known_revision, Done<StateClaimed> done);

  // Calls it once nothing waits for the store, or it is away.
  void WhenWritten(std::function<void()> done);

  // Neither used nor changed by it; for errors that only those see who read an entry.
  void CountError() { ++metrics_.state_errors; }

 private:
  friend class StateHold;
  // A call that waits for its answer, or for the time at which it is too late.
  struct Call {
    std::shared_ptr<void> done;  // a std::function<void(Result)>; no other thread destroys it
    EventLoop::Timer timer{};
  };
  enum class Urgency { kCanFail, kCleanup };

  // `bytes`: what the job holds. Its result is an absl::Status, or an absl::StatusOr. `done` may be
  // empty.
  template <typename Result>
  void Ask(size_t bytes, Urgency urgency, std::function<Result(StateStore&)> job,
           std::function<void(Result)> done);
  template <typename Result>
  void Finish(uint64_t number, Result result);
  void Record(const absl::Status& status);
  void Renew(const StateHold& hold);
  void Release(const StateHold& hold);
  void RenewAll();
  void Sweep();
  void SweepOnce();

  EventLoop& loop_;
  Metrics& metrics_;
  Log log_;
  std::set<StateHold*> holds_;
  std::map<uint64_t, Call> calls_;  // without an answer, by their numbers
  uint64_t last_call_ = 0;
  size_t jobs_ = 0;       // that the store has not done
  size_t job_bytes_ = 0;  // what they hold
  size_t late_ = 0;       // calls whose answer was not waited for
  size_t written_ = 0;    // bytes since the last sweep
  bool failed_ = false;
  bool sweeping_ = false;
  std::function<void()> on_written_;
  EventLoop::Timer renewal_timer_;
  EventLoop::Timer sweep_timer_;
  // What comes later asks whether this is still there.
  std::shared_ptr<StateKeeper*> self_ = std::make_shared<StateKeeper*>(this);
  const std::unique_ptr<StateStore> store_;        // the thread's alone
  std::atomic<TimePoint> end_ = TimePoint::max();  // no job begins from then on
  EventLoop thread_loop_;
  // The one that waits for disks and databases: does one job after the other, in order.
  std::thread thread_{[this] { thread_loop_.Run(); }};
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_STATE_STATE_KEEPER_H_
