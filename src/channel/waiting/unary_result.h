#ifndef CURSORWIRE_SRC_CHANNEL_WAITING_UNARY_RESULT_H_
#define CURSORWIRE_SRC_CHANNEL_WAITING_UNARY_RESULT_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <string>

#include "cursorwire/connect/headers.h"
#include "cursorwire/connect/stream.h"

namespace cursorwire::connect::internal {

// Makes one answer of the elements of a call: exactly one message. Order: Add() for each element,
// then Finish(). Thread-compatible.
class UnaryResult {
 public:
  // A message, or the error at the end. False if it is one message too many: no more are wanted.
  bool Add(absl::StatusOr<std::string> element);
  //   the error of the call, with ErrorInfo::metadata
  //   kUnimplemented  there was no message, or more than one
  absl::StatusOr<UnaryResponse> Finish(Headers headers, Headers trailers) &&;

 private:
  UnaryResponse response_;
  size_t count_ = 0;
  absl::Status status_ = absl::OkStatus();
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_WAITING_UNARY_RESULT_H_
