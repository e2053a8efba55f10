#include "compat_call.h"

#include <cursorwire/connect/channel.h>
#include <cursorwire/connect/protobuf.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace cursorwire::conformance {
namespace {

namespace pb = ::connectrpc::conformance::v1;
using std::chrono::milliseconds;

// Each name once, with all of its values.
void CopyHeaders(const connect::Headers& from, google::protobuf::RepeatedPtrField<pb::Header>& to) {
  std::set<std::string> names;
  for (const connect::Header& header : from) {
    if (header.name.starts_with(':') || !names.insert(header.name).second) continue;
    pb::Header& copy = *to.Add();
    copy.set_name(header.name);
    for (const std::string_view value : from.GetAll(header.name)) {
      copy.add_value(std::string(value));
    }
  }
}

void CopyError(const absl::Status& status, pb::Error& error) {
  // Both follow the codes of gRPC.
  error.set_code(static_cast<pb::Code>(status.code()));
  error.set_message(std::string(status.message()));
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(status);
  if (!info) return;
  for (const connect::ErrorDetail& detail : info->details) {
    google::protobuf::Any& any = *error.add_details();
    any.set_type_url("type.googleapis.com/" + detail.type);
    any.set_value(detail.value);
  }
}

connect::ChannelOptions OptionsOfChannel(const pb::ClientCompatRequest& request) {
  return {.tls = {.ca_pem = request.server_tls_cert(),
                  .client_certificate_pem = request.client_tls_creds().cert(),
                  .client_key_pem = request.client_tls_creds().key()}};
}

std::string UrlOf(const pb::ClientCompatRequest& request) {
  const bool is_ipv6 = request.host().find(':') != std::string::npos;
  return (request.server_tls_cert().empty() ? "http://" : "https://") +
         (is_ipv6 ? "[" + request.host() + "]" : request.host()) + ":" +
         std::to_string(request.port());
}

connect::CallRequest RequestOf(const pb::ClientCompatRequest& request) {
  connect::CallOptions options;
  for (const pb::Header& header : request.request_headers()) {
    for (const std::string& value : header.value()) options.headers.Add(header.name(), value);
  }
  options.codec =
      request.codec() == pb::CODEC_JSON ? connect::Codec::kJson : connect::Codec::kProto;
  const auto compression = request.compression() == pb::COMPRESSION_GZIP
                               ? connect::Compression::kGzip
                               : connect::Compression::kIdentity;
  options.send_compression = compression;
  options.compress_min_bytes = 0;
  options.accept_compression = compression;
  if (request.use_get_http_method()) options.http_method = connect::HttpMethod::kGet;
  options.timeout = milliseconds(request.timeout_ms());
  if (request.message_receive_limit() > 0) {
    options.max_receive_bytes = request.message_receive_limit();
  }
  return {.path = "/" + request.service() + "/" + request.method(),
          .kind = request.stream_type() == pb::STREAM_TYPE_UNARY ? connect::CallKind::kUnary
                                                                 : connect::CallKind::kStreaming,
          .options = std::move(options)};
}

// One call with the messages of its method.
template <typename Request, typename Response>
class CompatCall {
 public:
  CompatCall(const pb::ClientCompatRequest& request, const connect::Channel& channel)
      : request_(request),
        call_request_(RequestOf(request)),
        stream_(channel.OpenStream(call_request_), call_request_.options.codec) {}

  absl::StatusOr<pb::ClientResponseResult> Run() {
    if (absl::Status status = SendAll(); !status.ok()) return status;
    HalfClose();
    if (has_one_answer()) {
      TakeOne();
    } else {
      while (TakeNext()) {
      }
    }
    const connect::ResponseHead head = stream_.WaitForHead();
    CopyHeaders(head.headers, *result_.mutable_response_headers());
    CopyHeaders(stream_.trailers(), *result_.mutable_response_trailers());
    if (head.http_status != 0) result_.set_http_status_code(head.http_status);
    return std::move(result_);
  }

 private:
  using Cancel = pb::ClientCompatRequest::Cancel;

  bool has_one_answer() const {
    return request_.stream_type() == pb::STREAM_TYPE_UNARY ||
           request_.stream_type() == pb::STREAM_TYPE_CLIENT_STREAM;
  }

  // An error only of messages that make no sense: how the call ends is told by its answer.
  absl::Status SendAll() {
    for (const google::protobuf::Any& any : request_.request_messages()) {
      Request message;
      if (!any.UnpackTo(&message)) {
        return absl::InvalidArgumentError("a message is no " + message.GetTypeName());
      }
      std::this_thread::sleep_for(milliseconds(request_.request_delay_ms()));
      const absl::Status status = stream_.Send(message);
      if (!status.ok()) break;  // the call has ended
      const bool full_duplex = request_.stream_type() == pb::STREAM_TYPE_FULL_DUPLEX_BIDI_STREAM;
      if (full_duplex && !TakeNext()) break;
    }
    return absl::OkStatus();
  }

  void HalfClose() {
    if (request_.cancel().has_before_close_send()) return stream_.Cancel();
    stream_.CloseSend();
    const bool after_close = request_.has_cancel() && !request_.cancel().has_after_num_responses();
    if (!after_close) return;
    canceller_ = std::jthread([this](const std::stop_token& stop) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any stopped;
      stopped.wait_for(lock, stop, milliseconds(request_.cancel().after_close_send_ms()),
                       [] { return false; });
      stream_.Cancel();
    });
  }

  void TakeOne() {
    auto response = stream_.CloseAndReceive();
    if (response.ok()) {
      *result_.add_payloads() = response->message.payload();
    } else {
      CopyError(response.status(), *result_.mutable_error());
    }
  }

  // False at the end.
  bool TakeNext() {
    std::optional<absl::StatusOr<Response>> response = stream_.Next();
    if (!response) return false;
    if (!response->ok()) {
      CopyError(response->status(), *result_.mutable_error());
      return false;
    }
    *result_.add_payloads() = (*response)->payload();
    const Cancel& cancel = request_.cancel();
    if (cancel.has_after_num_responses() &&
        static_cast<uint32_t>(result_.payloads_size()) == cancel.after_num_responses()) {
      stream_.Cancel();
    }
    return true;
  }

  const pb::ClientCompatRequest& request_;
  const connect::CallRequest call_request_;
  connect::TypedStream<Request, Response> stream_;
  pb::ClientResponseResult result_;
  std::jthread canceller_;  // last: it uses the stream
};

template <typename Request, typename Response>
absl::StatusOr<pb::ClientResponseResult> Run(const pb::ClientCompatRequest& request) {
  absl::StatusOr<connect::Channel> channel =
      connect::Channel::Create(UrlOf(request), OptionsOfChannel(request));
  if (!channel.ok()) return channel.status();
  return CompatCall<Request, Response>(request, *channel).Run();
}

absl::StatusOr<pb::ClientResponseResult> RunMethod(const pb::ClientCompatRequest& request) {
  const std::string& method = request.method();
  if (method == "Unary") return Run<pb::UnaryRequest, pb::UnaryResponse>(request);
  if (method == "IdempotentUnary") {
    return Run<pb::IdempotentUnaryRequest, pb::IdempotentUnaryResponse>(request);
  }
  if (method == "ServerStream") {
    return Run<pb::ServerStreamRequest, pb::ServerStreamResponse>(request);
  }
  if (method == "ClientStream") {
    return Run<pb::ClientStreamRequest, pb::ClientStreamResponse>(request);
  }
  if (method == "BidiStream") return Run<pb::BidiStreamRequest, pb::BidiStreamResponse>(request);
  if (method == "Unimplemented") {
    // Its response has no payload; that of another is read in its place, and is empty, too.
    return Run<pb::UnimplementedRequest, pb::UnaryResponse>(request);
  }
  return absl::InvalidArgumentError("no method " + method);
}

}  // namespace

pb::ClientCompatResponse MakeCall(const pb::ClientCompatRequest& request) {
  pb::ClientCompatResponse response;
  response.set_test_name(request.test_name());
  absl::StatusOr<pb::ClientResponseResult> result = RunMethod(request);
  if (result.ok()) {
    *response.mutable_response() = *std::move(result);
  } else {
    response.mutable_error()->set_message(std::string(result.status().message()));
  }
  return response;
}

}  // namespace cursorwire::conformance
