#include "cursorwire/model_cache.h"

#include <absl/base/thread_annotations.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cursorwire/connect/time_point.h"
#include "net/thread.h"

namespace cursorwire {
namespace {

using Clock = std::chrono::steady_clock;

absl::Status Stopped() { return LocalError(absl::StatusCode::kCancelled, "stopped"); }

}  // namespace

class ModelCache::Impl {
 public:
  explicit Impl(ModelCacheOptions options) : options_(options) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    Stop();
    if (thread_.joinable()) thread_.join();
  }

  enum class Need { kUsual, kUrgent };
  absl::StatusOr<List> Wait(const Lister& lister, Need need, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (std::optional<absl::StatusOr<List>> known = Known(need)) return *std::move(known);
    if (absl::Status asked = AskOnce(lister); !asked.ok()) return asked;
    const Clock::time_point deadline =
        connect::After(need == Need::kUrgent ? Clock::now() : asked_, options_.wait);
    const bool over =
        changed_.wait_until(lock, stop, deadline, [this] { return !asks_ || stopped_; });
    if (stopped_ || (!over && stop.stop_requested())) return Stopped();
    if (over) return answer_;
    return LocalError(absl::StatusCode::kDeadlineExceeded,
                      "the list of models has not come in time");
  }

  void Call(const Lister& lister, Wanted wanted) {
    std::optional<absl::StatusOr<List>> answer;
    {
      const std::lock_guard lock(mutex_);
      answer = Known(Need::kUsual);
      if (!answer) {
        absl::Status asked = AskOnce(lister);
        if (asked.ok()) return waiting_.push_back(std::move(wanted));
        answer.emplace(std::move(asked));
      }
    }
    wanted(*answer);
  }

  List known() const {
    const std::lock_guard lock(mutex_);
    return known_;
  }

  void Stop() {
    std::vector<Wanted> waiting;
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      waiting.swap(waiting_);
      changed_.notify_all();
    }
    for (const Wanted& wanted : waiting) wanted(Stopped());
  }

 private:
  // What can be said without asking.
  std::optional<absl::StatusOr<List>> Known(Need need) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (stopped_) return Stopped();
    const Clock::time_point now = Clock::now();
    if (answer_.ok()) {
      const bool is_good =
          options_.life.count() == 0 || now < connect::After(answered_, options_.life);
      if (is_good) return answer_;
    } else if (need == Need::kUsual && was_asked_ && !asks_ &&
               now < connect::After(answered_, options_.pause)) {
      return answer_;
    }
    return std::nullopt;
  }

  absl::Status AskOnce(const Lister& lister) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (asks_) return absl::OkStatus();
    if (thread_.joinable()) thread_.join();  // it has left its lock for the last time
    const bool started =
        net::StartThread(thread_, [this, asked = lister]() mutable { Ask(std::move(asked)); });
    if (!started) return net::NoThreadError();
    asks_ = was_asked_ = true;
    asked_ = Clock::now();
    return absl::OkStatus();
  }

  void Ask(Lister lister) {
    absl::StatusOr<ModelList> list = lister();
    lister = nullptr;  // may end a connection, whose handlers may look at what is known
    std::unique_lock lock(mutex_);
    if (list.ok()) {
      answer_ = known_ = std::make_shared<const ModelList>(*std::move(list));
    } else {
      answer_ = list.status();
    }
    answered_ = Clock::now();
    while (!waiting_.empty()) {
      const std::vector<Wanted> waiting = std::exchange(waiting_, {});
      const absl::StatusOr<List> answer = answer_;
      lock.unlock();
      for (const Wanted& wanted : waiting) wanted(answer);
      lock.lock();
    }
    asks_ = false;
    changed_.notify_all();
  }

  const ModelCacheOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  absl::StatusOr<List> answer_ ABSL_GUARDED_BY(mutex_);  // of the last question
  List known_ ABSL_GUARDED_BY(mutex_);
  bool was_asked_ ABSL_GUARDED_BY(mutex_) = false;
  bool asks_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  Clock::time_point asked_ ABSL_GUARDED_BY(mutex_){};
  Clock::time_point answered_ ABSL_GUARDED_BY(mutex_){};
  std::vector<Wanted> waiting_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

ModelCache::ModelCache(ModelCacheOptions options) : impl_(std::make_unique<Impl>(options)) {}
ModelCache::~ModelCache() = default;

absl::StatusOr<ModelCache::List> ModelCache::Get(const Lister& lister,
                                                 const std::stop_token& stop) {
  return impl_->Wait(lister, Impl::Need::kUsual, stop);
}

absl::StatusOr<ModelCache::List> ModelCache::Require(const Lister& lister,
                                                     const std::stop_token& stop) {
  return impl_->Wait(lister, Impl::Need::kUrgent, stop);
}

void ModelCache::Get(const Lister& lister, Wanted wanted) {
  impl_->Call(lister, std::move(wanted));
}

ModelCache::List ModelCache::known() const { return impl_->known(); }

void ModelCache::Stop() { impl_->Stop(); }

}  // namespace cursorwire
