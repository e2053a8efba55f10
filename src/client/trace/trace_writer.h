#ifndef CURSORWIRE_SRC_CLIENT_TRACE_TRACE_WRITER_H_
#define CURSORWIRE_SRC_CLIENT_TRACE_TRACE_WRITER_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "client/trace/trace_files.h"
#include "cursorwire/connect/redactor.h"
#include "cursorwire/trace_content.h"

namespace cursorwire {

// Writes the parts of calls into the files of a trace, on a thread of its own, which takes the
// secrets out of them. Thread-safe. Destroying it writes what waits.
class TraceWriter {
 public:
  using Part = std::variant<TraceCall, TraceHead, TraceMessage, TraceEnd>;

  static absl::StatusOr<std::unique_ptr<TraceWriter>> Start(TraceFiles files,
                                                            size_t max_message_bytes);
  ~TraceWriter();

  // What is to be taken out of all that is added from now on. The last kMaxSecrets count.
  static constexpr size_t kMaxSecrets = 32;
  void AddSecrets(std::vector<std::string> secrets);
  // Never waits for the disk. A part of call `call`, the TraceCall first; its messages are as
  // MessageOf() makes them.
  void Add(uint64_t call, Part part);
  // A message with as many of its bytes as the writer needs.
  TraceMessage MessageOf(TraceSide from, std::chrono::microseconds at,
                         std::string_view bytes) const;

  absl::Status Flush();
  absl::Status status() const;

 private:
  struct Item {
    uint64_t call = 0;
    Part part;
  };

  TraceWriter(TraceFiles files, size_t max_message_bytes)
      : max_message_bytes_(max_message_bytes), files_(std::move(files)) {}

  void Run();
  // The thread's.
  absl::Status Write(Item item, const connect::Redactor& redactor);
  std::string LineOf(uint64_t call, TraceCall part, const connect::Redactor& redactor);
  std::string LineOf(uint64_t call, TraceHead part, const connect::Redactor& redactor);
  std::string LineOf(uint64_t call, TraceMessage part, const connect::Redactor& redactor);
  std::string LineOf(uint64_t call, TraceEnd part, const connect::Redactor& redactor);
  absl::Status Rotate();

  const size_t max_message_bytes_;
  std::thread thread_;

  mutable std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable written_;
  std::deque<Item> waiting_ ABSL_GUARDED_BY(mutex_);
  size_t waiting_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> secrets_ ABSL_GUARDED_BY(mutex_);
  // Replaced when a secret is added; shared with the thread, which uses it outside of the lock.
  std::shared_ptr<const connect::Redactor> redactor_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<connect::Redactor>();
  bool is_writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);

  // The thread's.
  TraceFiles files_;
  std::map<uint64_t, TraceCall> open_calls_;  // for the start of the next file: without headers
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TRACE_TRACE_WRITER_H_
