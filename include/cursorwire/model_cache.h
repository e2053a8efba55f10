// Room: src/client
#ifndef CURSORWIRE_MODEL_CACHE_H_
#define CURSORWIRE_MODEL_CACHE_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

#include "cursorwire/export.h"
#include "cursorwire/model.h"

namespace cursorwire {

// A value.
struct ModelCacheOptions {
  // How long a list is good. 0: as long as the cache lives.
  std::chrono::milliseconds life{300'000};
  // How long a failure to get it is remembered: Get() repeats it until then.
  std::chrono::milliseconds pause{0};
  // Longest time for which Get() waits, from the moment at which the list was asked for: who comes
  // while it still hangs does not wait as long once more.
  std::chrono::milliseconds wait{15'000};
};

// The models of an account, asked for when somebody wants them and kept, so that many who want them
// cost one question. Thread-safe. A `lister` mostly calls Client::ListModels(); it is copied,
// called on a thread of the cache, which blocks signals, and let go once it has answered.
class CURSORWIRE_EXPORT ModelCache {
 public:
  using Lister = std::function<absl::StatusOr<ModelList>()>;
  using List = std::shared_ptr<const ModelList>;  // never null

  explicit ModelCache(ModelCacheOptions options = {});
  // Stop(), and waits for a lister that is under way.
  ~ModelCache();
  ModelCache(const ModelCache&) = delete;
  ModelCache& operator=(const ModelCache&) = delete;

  // The list; where there is no good one, waits for `lister`, or for one that is under way.
  //   kDeadlineExceeded  it has not answered within ModelCacheOptions::wait
  //   kCancelled         `stop` is requested, or Stop() was called
  //   kUnavailable       also: no thread is left
  //   and what the lister said
  absl::StatusOr<List> Get(const Lister& lister, const std::stop_token& stop = {});
  // The same for a caller that cannot go on without: asks also soon after a failure, and waits for
  // ModelCacheOptions::wait from now.
  absl::StatusOr<List> Require(const Lister& lister, const std::stop_token& stop = {});

  using Wanted = std::function<void(const absl::StatusOr<List>& list)>;
  // As Get() without waiting: `wanted` is called once, now, or later on the thread that asks. It
  // must not wait for the list, nor destroy the cache. Stop() calls it with kCancelled.
  void Get(const Lister& lister, Wanted wanted);

  // What was told last, good or not; nullptr: nothing was.
  List known() const;

  // From now on nobody waits, and nothing is asked.
  void Stop();

 private:
  class CURSORWIRE_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_MODEL_CACHE_H_
