#include "state/state_keeper.h"

#include <utility>
#include <vector>

#include "openai/concat.h"
#include "random_text.h"

namespace cursor_gateway {
namespace {

constexpr size_t kHolderLength = 24;

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

// A call that waits for its answer, or for the time at which it is too late.
template <typename T>
struct StateKeeper::Slot {
  Done<T> done;
  EventLoop::Timer timer;
  bool late = false;
};

StateKeeper::StateKeeper(EventLoop& loop, Metrics& metrics, std::unique_ptr<StateStore> store,
                         Log log)
    : loop_(loop), metrics_(metrics), log_(std::move(log)), max_bytes_(store->max_bytes()) {
  thread_.emplace(std::move(store));
  Sweep();
}

StateKeeper::~StateKeeper() {
  // First, so that no job is left that refers to it. This is the thread of the loop: no answer of a
  // job is taken meanwhile.
  thread_.reset();
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

template <typename T>
void StateKeeper::Ask(size_t bytes, Urgency urgency,
                      std::function<absl::StatusOr<T>(StateStore&)> job, Done<T> done) {
  const auto slot = std::make_shared<Slot<T>>();
  slot->done = std::move(done);
  ++waiting_;
  const auto refuse = [&](const char* why) {
    loop_.Post([this, slot, why, weak = std::weak_ptr(self_)] {
      if (!weak.expired()) Finish<T>(slot, absl::ResourceExhaustedError(why));
    });
  };
  if (late_ > 0 && urgency == Urgency::kCanFail) return refuse("the state does not answer");
  const bool posted =
      thread_->Post(bytes, [this, slot, job = std::move(job), weak = std::weak_ptr(self_),
                            &loop = loop_](StateStore& store) {
        auto result = std::make_shared<absl::StatusOr<T>>(job(store));
        loop.Post([this, slot, weak, result] {
          if (weak.expired()) return;
          if (slot->late) --late_;
          Finish<T>(slot, std::move(*result));
        });
      });
  if (!posted) return refuse("too much waits for the state");
  slot->timer = loop_.After(kStateTimeout, [this, slot, weak = std::weak_ptr(self_)] {
    if (weak.expired()) return;
    slot->late = true;
    ++late_;
    Finish<T>(slot, absl::DeadlineExceededError("no answer within three seconds"));
  });
}

// Once; an answer that comes too late is for nobody.
template <typename T>
void StateKeeper::Finish(const std::shared_ptr<Slot<T>>& slot, absl::StatusOr<T> result) {
  const Done<T> done = std::exchange(slot->done, nullptr);
  if (done == nullptr) return;
  slot->timer = {};
  Record(result.status());
  done(std::move(result));
  if (--waiting_ > 0) return;
  if (const auto written = std::exchange(on_written_, nullptr)) written();
}

void StateKeeper::WhenWritten(std::function<void()> done) {
  if (waiting_ == 0) return done();
  on_written_ = std::move(done);
}

void StateKeeper::Put(const StateKey& key, StateEntry entry, std::chrono::milliseconds life,
                      Written done) {
  Write(key, std::move(entry), life, "", Claimed::kStays, std::move(done));
}

void StateKeeper::PutHeld(const StateHold& hold, StateEntry entry, std::chrono::milliseconds life,
                          Claimed claimed, Written done) {
  Write(hold.key(), std::move(entry), life, hold.holder(), claimed, std::move(done));
}

void StateKeeper::Write(const StateKey& key, StateEntry entry, std::chrono::milliseconds life,
                        const std::string& holder, Claimed claimed, Written done) {
  const size_t bytes = BytesOf(entry);
  Ask<bool>(
      bytes, Urgency::kCanFail,
      [key, entry = std::move(entry), holder, claimed,
       life](StateStore& store) -> absl::StatusOr<bool> {
        absl::Status status = store.Put(key, entry, life, holder, claimed);
        if (!status.ok()) return status;
        return true;
      },
      [done = std::move(done)](const absl::StatusOr<bool>& result) {
        if (done) done(result.status());
      });
  written_ += bytes;
  if (written_ > max_bytes_ / kSweepPart) Sweep();
}

void StateKeeper::GetAll(std::vector<StateKey> keys, const std::string& owner, size_t max_bytes,
                         Done<StateStore::Entries> done) {
  Ask<StateStore::Entries>(
      0, Urgency::kCanFail,
      [keys = std::move(keys), owner, max_bytes](StateStore& store) {
        return store.GetAll(keys, owner, max_bytes);
      },
      std::move(done));
}

void StateKeeper::Take(const StateKey& key, Done<std::optional<StateEntry>> done) {
  Ask<std::optional<StateEntry>>(
      0, Urgency::kCanFail, [key](StateStore& store) { return store.Take(key); }, std::move(done));
}

void StateKeeper::Erase(const StateKey& key, Done<bool> done) {
  Ask<bool>(
      0, Urgency::kCanFail, [key](StateStore& store) { return store.Erase(key); }, std::move(done));
}

void StateKeeper::Claim(const StateKey& key, std::string note, std::chrono::milliseconds lease,
                        int64_t known_revision, Done<StateClaimed> done) {
  // Made before the answer: whatever becomes of that, its end gives the claim back.
  auto hold = std::make_shared<StateHold>(*this, key, std::move(note), lease);
  struct Answer {
    StateClaim claim;
    std::optional<StateEntry> entry;
  };
  Ask<Answer>(
      0, Urgency::kCanFail,
      [key, known_revision, holder = hold->holder(), text = hold->note(),
       lease](StateStore& store) -> absl::StatusOr<Answer> {
        absl::StatusOr<StateClaim> claim = store.Claim(key, holder, text, lease);
        if (!claim.ok()) return claim.status();
        if (!claim->granted) return Answer{.claim = *std::move(claim), .entry = {}};
        absl::StatusOr<std::optional<StateEntry>> entry = store.Get(key, known_revision);
        if (!entry.ok()) return entry.status();
        return Answer{.claim = *std::move(claim), .entry = *std::move(entry)};
      },
      // Nothing else has the hold then: who drops it can claim the key again.
      [hold, done = std::move(done)](absl::StatusOr<Answer> answer) mutable {
        if (!answer.ok()) return done(answer.status());
        if (!answer->claim.granted) return done(StateClaimed{.note = answer->claim.note});
        done(StateClaimed{.hold = std::move(hold), .entry = std::move(answer->entry)});
      });
  if (holds_.size() == 1) RenewAll();
}

void StateKeeper::Renew(const StateHold& hold) {
  // One that is lost stays lost: the next write of its holder is refused.
  Ask<bool>(
      0, Urgency::kCanFail,
      [key = hold.key(), holder = hold.holder(), note = hold.note(),
       lease = hold.lease()](StateStore& store) { return store.Renew(key, holder, note, lease); },
      [](const absl::StatusOr<bool>&) {});
}

void StateKeeper::Release(const StateHold& hold) {
  Ask<bool>(
      0, Urgency::kCleanup,
      [key = hold.key(), holder = hold.holder()](StateStore& store) -> absl::StatusOr<bool> {
        absl::Status status = store.Release(key, holder);
        if (!status.ok()) return status;
        return true;
      },
      [](const absl::StatusOr<bool>&) {});
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
  Ask<bool>(
      0, Urgency::kCanFail, [](StateStore& store) { return store.Sweep(); },
      [this](const absl::StatusOr<bool>& more) {
        sweeping_ = more.ok() && *more && on_written_ == nullptr;
        if (sweeping_) SweepOnce();
      });
}

}  // namespace cursor_gateway
