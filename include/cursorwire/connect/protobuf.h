// Room: src/channel
#ifndef CURSORWIRE_CONNECT_PROTOBUF_H_
#define CURSORWIRE_CONNECT_PROTOBUF_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <google/protobuf/util/json_util.h>

#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cursorwire/connect/call_target.h"
#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/stream.h"

// Calls with generated messages: CallTarget and Stream, which know bytes alone, with the codec of
// CallOptions before and after them. Header-only, so that the library needs no protobuf; link
// protobuf::libprotobuf beside cursorwire::connect.
//
//   constexpr connect::UnaryMethod<SayRequest, SayResponse> kSay{"/eliza.v1.ElizaService/Say"};
//   auto reply = connect::Unary(channel, kSay, request);
//   if (!reply.ok()) return reply.status();
//   Use(reply->message, reply->trailers);
//
// JSON follows the canonical mapping of protobuf; unknown fields are ignored.
namespace cursorwire::connect {

namespace internal {

inline absl::Status CannotEncode(const std::string& type, const std::string& why) {
  absl::Status status = absl::InvalidArgumentError(type + " cannot be encoded: " + why);
  SetErrorInfo(status, {.origin = ErrorOrigin::kLocal});
  return status;
}

}  // namespace internal

// `message` in the form of `codec`.
//   kInvalidArgument  it has no such form: a required field is missing, an Any is of unknown type,
//                     or it is over 2 GiB
template <typename Message>
absl::StatusOr<std::string> EncodeMessage(const Message& message, Codec codec) {
  std::string bytes;
  if (!message.IsInitialized()) {
    return internal::CannotEncode(message.GetTypeName(), "a required field is missing");
  }
  if (codec == Codec::kProto) {
    if (message.SerializeToString(&bytes)) return bytes;
    return internal::CannotEncode(message.GetTypeName(), "it is too large");
  }
  const auto status = google::protobuf::util::MessageToJsonString(message, &bytes);
  if (status.ok()) return bytes;
  return internal::CannotEncode(message.GetTypeName(),
                                "it has no JSON form: " + std::string(status.message()));
}

// The message in `bytes`.
//   kInternal  the bytes do not decode; ErrorInfo says that the peer broke the protocol
template <typename Message>
absl::StatusOr<Message> DecodeMessage(std::string_view bytes, Codec codec) {
  Message message;
  bool decoded = false;
  if (codec == Codec::kProto) {
    // "Partial", because the other form writes to stderr what is missing.
    decoded = bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
              message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()));
  } else {
    google::protobuf::util::JsonParseOptions options;
    options.ignore_unknown_fields = true;
    decoded =
        google::protobuf::util::JsonStringToMessage({bytes.data(), bytes.size()}, &message, options)
            .ok();
  }
  if (decoded && message.IsInitialized()) return message;
  // Without the parser's words: they quote the message.
  absl::Status status =
      absl::InternalError("the message does not decode as " + message.GetTypeName() +
                          (codec == Codec::kProto ? "" : " in JSON"));
  SetErrorInfo(status, {.origin = ErrorOrigin::kProtocol});
  return status;
}

// The answer to a call that has just one.
template <typename Message>
struct TypedResponse {
  Message message{};
  Headers headers{};
  Headers trailers{};
};

template <typename Response>
absl::StatusOr<TypedResponse<Response>> DecodeResponse(absl::StatusOr<UnaryResponse> response,
                                                       Codec codec) {
  if (!response.ok()) return response.status();
  absl::StatusOr<Response> message = DecodeMessage<Response>(response->message, codec);
  if (!message.ok()) return message.status();
  return TypedResponse<Response>{.message = *std::move(message),
                                 .headers = std::move(response->headers),
                                 .trailers = std::move(response->trailers)};
}

// CallTarget::Unary() with messages.
template <typename Request, typename Response>
absl::StatusOr<TypedResponse<Response>> Unary(const CallTarget& target,
                                              const UnaryMethod<Request, Response>& method,
                                              const std::type_identity_t<Request>& request,
                                              const CallOptions& options = {}) {
  absl::StatusOr<std::string> bytes = EncodeMessage(request, options.codec);
  if (!bytes.ok()) return bytes.status();
  return DecodeResponse<Response>(target.Unary(method.path, *bytes, options), options.codec);
}

// A Stream of messages: order of calls, threads and lifetime as there. A message that does not
// decode cancels the call, and is the last element.
template <typename Request, typename Response>
class TypedStream {
 public:
  TypedStream(Stream stream, Codec codec) : stream_(std::move(stream)), codec_(codec) {}

  absl::Status Send(const Request& request) {
    absl::StatusOr<std::string> bytes = EncodeMessage(request, codec_);
    if (!bytes.ok()) return bytes.status();
    return stream_.Send(*std::move(bytes));
  }
  void CloseSend() { stream_.CloseSend(); }

  std::optional<absl::StatusOr<Response>> Next() {
    if (broken_) return std::nullopt;
    std::optional<absl::StatusOr<std::string>> bytes = stream_.Next();
    if (!bytes) return std::nullopt;
    if (!bytes->ok()) return bytes->status();
    absl::StatusOr<Response> message = DecodeMessage<Response>(**bytes, codec_);
    if (!message.ok()) {
      broken_ = true;
      stream_.Cancel();
    }
    return message;
  }

  // In place of Next(), for a stream of requests that has one answer.
  absl::StatusOr<TypedResponse<Response>> CloseAndReceive() {
    return DecodeResponse<Response>(stream_.CloseAndReceive(), codec_);
  }

  void Cancel() { stream_.Cancel(); }
  ResponseHead WaitForHead() { return stream_.WaitForHead(); }
  Headers trailers() const { return stream_.trailers(); }

  using Iterator = SinglePassIterator<TypedStream, absl::StatusOr<Response>>;
  Iterator begin() { return Iterator(this); }
  std::default_sentinel_t end() const { return std::default_sentinel; }

 private:
  Stream stream_;
  Codec codec_;
  bool broken_ = false;
};

// A call of any number of messages both ways.
template <typename Request, typename Response>
TypedStream<Request, Response> OpenStream(const CallTarget& target,
                                          const BidiStreamMethod<Request, Response>& method,
                                          const CallOptions& options = {}) {
  return {target.OpenStream(method.path, options), options.codec};
}

// A call of any number of requests and one response: TypedStream::CloseAndReceive() at the end.
template <typename Request, typename Response>
TypedStream<Request, Response> OpenStream(const CallTarget& target,
                                          const ClientStreamMethod<Request, Response>& method,
                                          const CallOptions& options = {}) {
  return {target.OpenStream(method.path, options), options.codec};
}

// A call of one request, which is sent, and any number of responses.
//   as EncodeMessage()
//   kResourceExhausted  `request` is over CallOptions::max_send_bytes
template <typename Request, typename Response>
absl::StatusOr<TypedStream<Request, Response>> OpenStream(
    const CallTarget& target, const ServerStreamMethod<Request, Response>& method,
    const std::type_identity_t<Request>& request, const CallOptions& options = {}) {
  TypedStream<Request, Response> stream(target.OpenStream(method.path, options), options.codec);
  // A call that has ended tells why by Next().
  if (absl::Status status = stream.Send(request);
      !status.ok() && status.code() != absl::StatusCode::kFailedPrecondition) {
    return status;
  }
  stream.CloseSend();
  return stream;
}

// The first detail of type `Message` in an error of this library; nullopt if there is none.
template <typename Message>
std::optional<Message> GetErrorDetail(const absl::Status& status) {
  const std::optional<ErrorInfo> info = GetErrorInfo(status);
  if (!info) return std::nullopt;
  for (const ErrorDetail& detail : info->details) {
    Message message;
    if (detail.type == message.GetTypeName() && message.ParseFromString(detail.value)) {
      return message;
    }
  }
  return std::nullopt;
}

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_PROTOBUF_H_
