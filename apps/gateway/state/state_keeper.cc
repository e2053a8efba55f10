#include "state/state_keeper.h"

#include <absl/strings/escaping.h>

#include <exception>
#include <string>
#include <utility>

#include "api/concat.h"
#include "random_text.h"

namespace cursor_gateway {
namespace {

constexpr size_t kHolderLength = 24;

const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

// An exception is one more way in which the store fails.
template <typename Result>
Result Outcome(const std::function<Result(StateStore&)>& job, StateStore& store) {
  try {
    return job(store);
  } catch (const std::exception& failure) {
    return absl::InternalError(
        Concat("a failure of the gateway itself: ", absl::CHexEscape(std::string(failure.what()))));
  }
}

}  // namespace

StateHold::StateHold(StateKeeper& keeper, StateKey key, std::string note,
                     std::chrono::milliseconds lease)
    : keeper_(keeper.self_),
      key_(std::move(key)),
      holder_(RandomText(kHolderLength)),
      note_(std::move(note)),
      lease_(lease) {
  keeper.holds_.insert(this);
}

StateHold::~StateHold() {
  const auto keeper = keeper_.lock();
  if (keeper == nullptr) return;
  (*keeper)->holds_.erase(this);
  (*keeper)->Release(*this);
}

void StateHold::Change(std::string note, std::chrono::milliseconds lease) {
  note_ = std::move(note);
  lease_ = lease;
  if (const auto keeper = keeper_.lock()) (*keeper)->Renew(*this);
}

StateKeeper::StateKeeper(EventLoop& loop, Metrics& metrics, std::unique_ptr<StateStore> store,
                         Log log)
    : loop_(loop), metrics_(metrics), log_(std::move(log)), store_(std::move(store)) {
  Sweep();
}

StateKeeper::~StateKeeper() {
  // What waits is not told any more; claims that it holds are given back by the last jobs.
  std::exchange(calls_, {}).clear();
  // Then no job is left that refers to this. It is the thread of the loop: no answer of a job is
  // taken meanwhile.
  end_ = std::chrono::steady_clock::now() + kLastJobs;
  thread_loop_.Stop();
  thread_.join();
  self_.reset();
}

void StateKeeper::Record(const absl::Status& status) {
  if (status.ok()) {
    failed_ = false;
    return;
  }
  // That another has an entry, or that somebody asks for too much, is no fault of the store.
  if (status.code() == absl::StatusCode::kAborted) return;
  if (status.code() == absl::StatusCode::kOutOfRange) return;
  ++metrics_.state_errors;
  if (std::exchange(failed_, true) || !log_) return;
  log_(Concat("warning: going on without the state: ",
              std::string_view(status.message().data(), status.message().size())));
}

template <typename Result>
void StateKeeper::Ask(size_t bytes, Urgency urgency, std::function<Result(StateStore&)> job,
                      std::function<void(Result)> done) {
  const uint64_t number = ++last_call_;
  Call& call = calls_[number];
  call.done = std::make_shared<std::function<void(Result)>>(std::move(done));
  const std::weak_ptr<StateKeeper*> weak = self_;
  const char* refusal = nullptr;
  if (late_ > 0 && urgency == Urgency::kCanFail) refusal = "the state does not answer";
  if (jobs_ >= kMaxStateJobs || bytes > kMaxStateJobBytes - job_bytes_) {
    refusal = "too much waits for the state";
  }
  if (refusal != nullptr) {
    return loop_.Post([this, number, refusal, weak] {
      if (!weak.expired()) Finish<Result>(number, absl::ResourceExhaustedError(refusal));
    });
  }
  ++jobs_;
  job_bytes_ += bytes;
  thread_loop_.Post([this, number, bytes, job = std::move(job), weak] {
    if (std::chrono::steady_clock::now() >= end_.load()) return;
    const auto result = std::make_shared<Result>(Outcome(job, *store_));
    loop_.Post([this, number, bytes, weak, result] {
      if (weak.expired()) return;
      --jobs_;
      job_bytes_ -= bytes;
      if (!calls_.contains(number)) --late_;
      Finish<Result>(number, std::move(*result));
    });
  });
  call.timer = loop_.After(kStateTimeout, [this, number] {
    ++late_;
    Finish<Result>(number, absl::DeadlineExceededError("no answer within three seconds"));
  });
}

// Once; an answer that comes too late is for nobody.
template <typename Result>
void StateKeeper::Finish(uint64_t number, Result result) {
  const auto call = calls_.extract(number);
  if (call.empty()) return;
  Record(StatusOf(result));
  const auto done = std::static_pointer_cast<std::function<void(Result)>>(call.mapped().done);
  if (*done) loop_.Call([&] { (*done)(std::move(result)); });
  if (!calls_.empty()) return;
  if (const auto written = std::exchange(on_written_, nullptr)) written();
}

void StateKeeper::WhenWritten(std::function<void()> done) {
  if (calls_.empty()) return done();
  on_written_ = std::move(done);
}

void StateKeeper::Put(const StateKey& key, StateEntry entry, std::chrono::milliseconds life,
                      Written done, const std::string& holder, Claimed claimed) {
  const size_t bytes = BytesOf(entry);
  Ask<absl::Status>(
      bytes, Urgency::kCanFail,
      [key, entry = std::move(entry), holder, claimed, life](StateStore& store) {
        return store.Put(key, entry, life, holder, claimed);
      },
      std::move(done));
  written_ += bytes;
  if (written_ > store_->max_bytes() / kSweepPart) Sweep();
}

void StateKeeper::GetAll(std::vector<StateKey> keys, const std::string& owner, size_t max_bytes,
                         Done<StateStore::Entries> done) {
  Ask<absl::StatusOr<StateStore::Entries>>(
      0, Urgency::kCanFail,
      [keys = std::move(keys), owner, max_bytes](StateStore& store) {
        return store.GetAll(keys, owner, max_bytes);
      },
      std::move(done));
}

void StateKeeper::Take(const StateKey& key, Done<std::optional<StateEntry>> done) {
  Ask<absl::StatusOr<std::optional<StateEntry>>>(
      0, Urgency::kCanFail, [key](StateStore& store) { return store.Take(key); }, std::move(done));
}

void StateKeeper::Erase(const StateKey& key) {
  Ask<absl::StatusOr<bool>>(0, Urgency::kCanFail,
                            [key](StateStore& store) { return store.Erase(key); }, {});
}

void StateKeeper::Claim(const StateKey& key, std::string note, std::chrono::milliseconds lease,
                        int64_t known_revision, Done<StateClaimed> done) {
  // Made before the answer: whatever becomes of that, its end gives the claim back.
  auto hold = std::make_shared<StateHold>(*this, key, std::move(note), lease);
  Ask<absl::StatusOr<StateClaim>>(
      0, Urgency::kCanFail,
      [key, known_revision, holder = hold->holder(), text = hold->note(),
       lease](StateStore& store) {
        absl::StatusOr<StateClaim> claim = store.Claim(key, holder, text, lease);
        if (!claim.ok() || !claim->granted) return claim;
        absl::StatusOr<std::optional<StateEntry>> entry = store.Get(key, known_revision);
        if (!entry.ok()) return absl::StatusOr<StateClaim>(entry.status());
        claim->entry = *std::move(entry);
        return claim;
      },
      // Nothing else has the hold then: who drops it can claim the key again.
      [hold, done = std::move(done)](absl::StatusOr<StateClaim> claim) mutable {
        if (!claim.ok()) return done(claim.status());
        if (!claim->granted) hold.reset();
        done(StateClaimed{std::move(hold), std::move(claim->note), std::move(claim->entry)});
      });
  if (holds_.size() == 1) RenewAll();
}

void StateKeeper::Renew(const StateHold& hold) {
  // One that is lost stays lost: the next write of its holder is refused.
  Ask<absl::StatusOr<bool>>(
      0, Urgency::kCanFail,
      [key = hold.key(), holder = hold.holder(), note = hold.note(),
       lease = hold.lease()](StateStore& store) { return store.Renew(key, holder, note, lease); },
      {});
}

void StateKeeper::Release(const StateHold& hold) {
  Ask<absl::Status>(0, Urgency::kCleanup,
                    [key = hold.key(), holder = hold.holder()](StateStore& store) {
                      return store.Release(key, holder);
                    },
                    {});
}

void StateKeeper::RenewAll() {
  renewal_timer_ = loop_.After(kClaimRenewal, [this] {
    for (const StateHold* hold : holds_) Renew(*hold);
    if (!holds_.empty()) RenewAll();
  });
}

void StateKeeper::Sweep() {
  written_ = 0;
  if (!std::exchange(sweeping_, true)) SweepOnce();
  sweep_timer_ = loop_.After(kStateSweep, [this] { Sweep(); });
}

// What others asked for in between comes before the next step.
void StateKeeper::SweepOnce() {
  Ask<absl::StatusOr<bool>>(
      0, Urgency::kCanFail, [](StateStore& store) { return store.Sweep(); },
      [this](const absl::StatusOr<bool>& more) {
        sweeping_ = more.ok() && *more && on_written_ == nullptr;
        if (sweeping_) SweepOnce();
      });
}

}  // namespace cursor_gateway
