// Room: src/agent/events
#ifndef CURSORWIRE_DRIFT_LOG_H_
#define CURSORWIRE_DRIFT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cursorwire/export.h"

namespace cursorwire {

// What the service sent that this library does not know: fields, messages and values of enums, each
// by the path of the field and how often it came. None of it is an error; it shows that the schema
// has grown. Paths such as "interaction_update.text_delta.7" (a field) and
// "interaction_update.thinking_delta.thinking_style=9" (a value). Nothing of their content is kept.
//
// Thread-safe. Bounded: kMaxPaths; what is more counts as "(more)".
class CURSORWIRE_EXPORT DriftLog {
 public:
  static constexpr size_t kMaxPaths = 256;

  DriftLog();
  ~DriftLog();
  DriftLog(const DriftLog&) = delete;
  DriftLog& operator=(const DriftLog&) = delete;

  // True when it is the first time.
  bool Add(std::string_view path);
  std::map<std::string, uint64_t> Counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// {"drift":[{"path":"...","count":1}]}, sorted by path.
CURSORWIRE_EXPORT std::string DriftToJson(const std::map<std::string, uint64_t>& counts);

}  // namespace cursorwire

#endif  // CURSORWIRE_DRIFT_LOG_H_
