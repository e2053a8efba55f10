// Room: values
#ifndef CURSORWIRE_ID_SOURCE_H_
#define CURSORWIRE_ID_SOURCE_H_

#include <memory>
#include <string>

#include "cursorwire/export.h"

namespace cursorwire {

// Where the ids of requests, messages and conversations come from. A test may give its own, and
// then knows them. A Client asks it on any of its threads, so that one of
// a Client must be thread-safe; a Run asks it in its constructor alone.
class CURSORWIRE_EXPORT IdSource {
 public:
  virtual ~IdSource() = default;
  // A UUID of version 4, such as "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d".
  virtual std::string Uuid() = 0;
};

// Random ones. Thread-safe.
CURSORWIRE_EXPORT std::shared_ptr<IdSource> RandomIds();

}  // namespace cursorwire

#endif  // CURSORWIRE_ID_SOURCE_H_
