#include "agent/models/model_calls.h"

#include <absl/strings/ascii.h>
#include <google/protobuf/stubs/logging.h>

#include <chrono>
#include <optional>
#include <utility>

#include "agent/run/request_headers.h"
#include "agent/v1/model.pb.h"
#include "base/error.h"
#include "wire/envelope.h"
#include "wire/proto_reader.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

// The timeout of a client in use. Source: docs/protocol.md, models.
constexpr std::chrono::seconds kTimeout{15};
// A catalog has a few hundred rows: about 100 bytes each here, a few kilobytes in AvailableModels.
constexpr size_t kMaxUsableBytes = size_t{1} * 1024 * 1024;
constexpr size_t kMaxAvailableBytes = size_t{16} * 1024 * 1024;

constexpr uint32_t kModels = 1;  // of GetUsableModelsResponse

connect::CallRequest UnaryCall(std::string path, const RunOptions& options,
                               std::string_view request_id, size_t max_bytes) {
  return {.path = std::move(path),
          .kind = connect::CallKind::kUnary,
          .options = {.headers = RequestHeaders(options, request_id),
                      .accept_compression = connect::Compression::kIdentity,
                      .timeout = kTimeout,
                      .announce_timeout = connect::AnnounceTimeout::kNo,
                      .max_receive_bytes = max_bytes}};
}

// The payload if `bytes` are exactly one plain envelope, else nullopt.
std::optional<std::string_view> Unwrap(std::string_view bytes) {
  wire::EnvelopeDecoder decoder(bytes.size());
  decoder.Feed(bytes);
  const auto envelope = decoder.Next();
  if (!envelope.ok() || !envelope->has_value() || (*envelope)->flags != 0) return std::nullopt;
  if ((*envelope)->payload.size() + wire::kEnvelopePrefixBytes != bytes.size()) return std::nullopt;
  return bytes.substr(wire::kEnvelopePrefixBytes);
}

// The response of a unary call has no envelope; like clients in use, this accepts one. Source:
// docs/protocol.md, framing.
template <typename Decode>
auto DecodeBareOrEnveloped(std::string_view body, Decode decode) {
  auto bare = decode(body);
  if (bare.ok() || bare.status().code() != absl::StatusCode::kInternal) return bare;
  const std::optional<std::string_view> payload = Unwrap(body);
  if (!payload) return bare;
  auto unwrapped = decode(*payload);
  return unwrapped.ok() ? unwrapped : bare;
}

// Checked before rows are stored, since two bytes of the body can make a whole row.
absl::Status CheckRowCount(std::string_view bytes) {
  wire::ProtoReader reader(bytes);
  size_t rows = 0;
  for (;;) {
    const absl::StatusOr<std::optional<wire::ProtoField>> field = reader.Next();
    if (!field.ok()) return Annotate(field.status(), "GetUsableModelsResponse");
    if (!field->has_value()) return absl::OkStatus();
    if ((*field)->number == kModels && ++rows > kMaxAvailableModels) {
      return MakeError(absl::StatusCode::kResourceExhausted,
                       "GetUsableModelsResponse has too many models",
                       {.origin = connect::ErrorOrigin::kProtocol});
    }
  }
}

std::string Trimmed(const std::string& text) {
  return std::string(absl::StripAsciiWhitespace(text));
}

std::string DisplayNameOf(const pb::ModelDetails& details) {
  for (const std::string* name : {&details.display_name(), &details.display_name_short(),
                                  &details.display_model_id(), &details.model_id()}) {
    if (std::string trimmed = Trimmed(*name); !trimmed.empty()) return trimmed;
  }
  return "";
}

absl::StatusOr<std::vector<UsableModel>> DecodeBareUsableModels(std::string_view bytes) {
  if (absl::Status status = CheckRowCount(bytes); !status.ok()) return status;
  const google::protobuf::LogSilencer silencer;  // silences its complaints about bad UTF-8
  pb::GetUsableModelsResponse response;
  if (!response.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return ProtocolError("GetUsableModelsResponse does not parse");
  }
  std::vector<UsableModel> models;
  for (const pb::ModelDetails& details : response.models()) {
    models.push_back({.id = Trimmed(details.model_id()),
                      .display_name = DisplayNameOf(details),
                      .aliases = {details.aliases().begin(), details.aliases().end()},
                      .thinking = details.has_thinking_details(),
                      .max_mode = details.max_mode()});
  }
  return models;
}

}  // namespace

connect::CallRequest UsableModelsCall(const RunOptions& options, std::string_view request_id) {
  return UnaryCall("/agent.v1.AgentService/GetUsableModels", options, request_id, kMaxUsableBytes);
}

absl::StatusOr<std::vector<UsableModel>> DecodeUsableModels(std::string_view body) {
  return DecodeBareOrEnveloped(body, DecodeBareUsableModels);
}

connect::CallRequest AvailableModelsCall(const RunOptions& options, std::string_view request_id) {
  return UnaryCall("/aiserver.v1.AiService/AvailableModels", options, request_id,
                   kMaxAvailableBytes);
}

absl::StatusOr<AvailableModelsResponse> DecodeAvailableModels(std::string_view body) {
  return DecodeBareOrEnveloped(
      body, [](std::string_view bytes) { return DecodeAvailableModelsResponse(bytes); });
}

}  // namespace cursorwire::agent
