#include "cursorwire/jsonrpc/peer.h"

#include <type_traits>
#include <utility>

#include "jsonrpc/connection.h"

namespace cursorwire::jsonrpc {
namespace {

std::string TextOfParams(const Json& params) {
  return params.is_null() ? std::string() : WriteJsonText(params);
}

PeerError ToPeerError(RpcError error) {
  return {.code = error.code,
          .message = std::move(error.message),
          .data_json = error.data.is_null() ? std::string() : WriteJsonText(error.data)};
}

// The data of an error is an extra: what is no JSON is left out.
RpcError FromPeerError(const PeerError& error) {
  RpcError result{.code = error.code, .message = error.message};
  if (absl::StatusOr<Json> data = ParseJsonText(error.data_json); data.ok()) {
    result.data = *std::move(data);
  }
  return result;
}

std::optional<PeerEvent> ToPeerEvent(Request request) {
  return PeerRequest{.id_json = WriteJsonText(request.id),
                     .method = std::move(request.method),
                     .params_json = TextOfParams(request.params)};
}
std::optional<PeerEvent> ToPeerEvent(Notification notification) {
  return PeerNotification{.method = std::move(notification.method),
                          .params_json = TextOfParams(notification.params)};
}
std::optional<PeerEvent> ToPeerEvent(Answer answer) {
  PeerAnswer result{.request_id = answer.request_id};
  if (auto* error = std::get_if<RpcError>(&answer.outcome)) {
    result.outcome = ToPeerError(std::move(*error));
  } else {
    result.outcome = WriteJsonText(std::get<Json>(answer.outcome));
  }
  return result;
}
std::optional<PeerEvent> ToPeerEvent(const Cancellation& cancellation) {
  return PeerCancellation{.id_json = WriteJsonText(cancellation.request_id)};
}
std::optional<PeerEvent> ToPeerEvent(StrayError stray) {
  return PeerComplaint{.error = ToPeerError(std::move(stray.error))};
}
// Nobody waits for it.
std::optional<PeerEvent> ToPeerEvent(const StrayAnswer& /*stray*/) { return std::nullopt; }
// Only BadLines::kSkip makes these.
std::optional<PeerEvent> ToPeerEvent(const Overlong& /*line*/) { return std::nullopt; }
std::optional<PeerEvent> ToPeerEvent(const Noise& /*noise*/) { return std::nullopt; }

absl::StatusOr<Json> ParseParams(std::string_view params_json) {
  if (params_json.empty()) return Json();
  return ParseJsonText(params_json);
}

}  // namespace

class Peer::Impl {
 public:
  explicit Impl(PeerOptions options)
      : connection({.cancel_method = std::move(options.cancel_method),
                    .max_line_bytes = options.max_line_bytes,
                    .max_sent_line_bytes = options.max_sent_line_bytes,
                    .max_open_requests = options.max_open_requests}) {}

  Connection connection;
};

Peer::Peer(PeerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Peer::~Peer() = default;
Peer::Peer(Peer&&) noexcept = default;
Peer& Peer::operator=(Peer&&) noexcept = default;

void Peer::Receive(std::string_view bytes) { impl_->connection.Receive(bytes); }

std::optional<PeerEvent> Peer::Next() {
  while (std::optional<Event> event = impl_->connection.Next()) {
    std::optional<PeerEvent> told =
        std::visit([](auto& what) { return ToPeerEvent(std::move(what)); }, *event);
    if (told) return told;
  }
  return std::nullopt;
}

absl::StatusOr<uint64_t> Peer::Call(std::string method, std::string_view params_json) {
  absl::StatusOr<Json> params = ParseParams(params_json);
  if (!params.ok()) return params.status();
  return impl_->connection.Call(std::move(method), *std::move(params));
}

absl::Status Peer::Notify(std::string method, std::string_view params_json) {
  absl::StatusOr<Json> params = ParseParams(params_json);
  if (!params.ok()) return params.status();
  return impl_->connection.Notify(std::move(method), *std::move(params));
}

void Peer::Respond(std::string_view id_json, const std::variant<std::string, PeerError>& outcome) {
  const absl::StatusOr<Json> id = ParseJsonText(id_json);
  if (!id.ok()) return;
  if (const auto* error = std::get_if<PeerError>(&outcome)) {
    return impl_->connection.Respond(*id, FromPeerError(*error));
  }
  absl::StatusOr<Json> result = ParseJsonText(std::get<std::string>(outcome));
  if (result.ok()) return impl_->connection.Respond(*id, *std::move(result));
  impl_->connection.Respond(*id, RpcError{.message = std::string(result.status().message())});
}

bool Peer::Cancel(uint64_t request_id) { return impl_->connection.Cancel(request_id, ""); }
bool Peer::Forget(uint64_t request_id) {
  return impl_->connection.Cancel(request_id, "", Connection::Tell::kNobody);
}

std::string Peer::TakeOutput() { return impl_->connection.TakeOutput(); }
size_t Peer::output_bytes() const { return impl_->connection.output_bytes(); }

}  // namespace cursorwire::jsonrpc
