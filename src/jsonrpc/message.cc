#include "jsonrpc/message.h"
#include "json/json_member.h"

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace cursorwire::jsonrpc {
namespace {

// From here on, doubles do not tell integers apart: 2^53.
constexpr double kFirstInexact = 9007199254740992;

// Whether a number can be sent back as it came. One that 64 bits do not hold was read as the
// nearest double, which may be another one.
bool IsExact(const Json& number) {
  return number.is_number_integer() || std::abs(number.get<double>()) < kFirstInexact;
}

bool IsId(const Json& value) { return value.is_string() || value.is_number() || value.is_null(); }

// Takes a member out of an object; null if there is none.
Json Take(Json& object, const char* name) {
  const auto member = object.find(name);
  return member == object.end() ? Json() : std::move(*member);
}

RpcError ReadError(Json value) {
  RpcError error;
  if (!value.is_object()) {
    error.message = value.is_string() ? value.get<std::string>() : "an error without a message";
    return error;
  }
  const Json& code = MemberOf(value, "code");
  if (code.is_number_integer()) error.code = code.get<int64_t>();
  error.message = TextOf(value, "message");
  error.data = Take(value, "data");
  return error;
}

std::variant<Message, NoMessage> ReadCall(Json value) {
  const bool has_id = value.contains("id");
  Json id = Take(value, "id");
  Json params = Take(value, "params");
  if (!IsId(id)) return NoMessage{.reason = "its id is no string, number or null"};
  if (id.is_number() && !IsExact(id)) return NoMessage{.reason = "its id does not fit in 64 bits"};
  if (!value["method"].is_string()) {
    return NoMessage{.id = std::move(id), .reason = "its method is no string"};
  }
  if (!params.is_structured() && !params.is_null()) {
    return NoMessage{.id = std::move(id), .reason = "its params are no object and no list"};
  }
  auto method = value["method"].get<std::string>();
  if (!has_id) return Notification{.method = std::move(method), .params = std::move(params)};
  return Request{.id = std::move(id), .method = std::move(method), .params = std::move(params)};
}

std::variant<Message, NoMessage> ReadResponse(Json value) {
  // Some peers write both, one of them as null.
  const bool has_error = !MemberOf(value, "error").is_null();
  const bool has_result = value.contains("result") && !(has_error && value["result"].is_null());
  Json id = Take(value, "id");
  if (!IsId(id) || has_result == has_error) {
    return NoMessage{.reason = "it is neither a call nor an answer", .answers = std::move(id)};
  }
  if (has_result) return Response{.id = std::move(id), .outcome = Take(value, "result")};
  return Response{.id = std::move(id), .outcome = ReadError(Take(value, "error"))};
}

Json ErrorJson(const RpcError& error) {
  Json json = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) json["data"] = error.data;
  return json;
}

Json MessageJson(const Request& request) {
  Json json = {{"jsonrpc", "2.0"}, {"id", request.id}, {"method", request.method}};
  if (!request.params.is_null()) json["params"] = request.params;
  return json;
}
Json MessageJson(const Notification& notification) {
  Json json = {{"jsonrpc", "2.0"}, {"method", notification.method}};
  if (!notification.params.is_null()) json["params"] = notification.params;
  return json;
}
Json MessageJson(const Response& response) {
  Json json = {{"jsonrpc", "2.0"}, {"id", response.id}};
  if (const auto* error = std::get_if<RpcError>(&response.outcome)) {
    json["error"] = ErrorJson(*error);
  } else {
    json["result"] = std::get<Json>(response.outcome);
  }
  return json;
}

}  // namespace

std::variant<Message, NoMessage> ReadMessage(Json value) {
  if (!value.is_object()) return NoMessage{.reason = "it is no object"};
  if (TextOf(value, "jsonrpc") != "2.0") {
    NoMessage none{.reason = "it is not of JSON-RPC 2.0"};
    // Lines of a log may have an id, too.
    if (value.contains("result") && !value.contains("method")) none.answers = Take(value, "id");
    return none;
  }
  return value.contains("method") ? ReadCall(std::move(value)) : ReadResponse(std::move(value));
}

std::optional<uint64_t> NumberOfId(const Json& id) {
  if (id.is_number_unsigned()) return id.get<uint64_t>();
  if (id.is_number_float()) {
    const auto number = id.get<double>();
    if (!(number >= 0 && number < kFirstInexact) || std::trunc(number) != number) {
      return std::nullopt;
    }
    return static_cast<uint64_t>(number);
  }
  if (!id.is_string()) return std::nullopt;
  const auto& text = id.get_ref<const std::string&>();
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // In the one way that it is written, without zeros before it.
  if (error != std::errc() || std::to_string(number) != text) return std::nullopt;
  return number;
}

std::string WriteMessage(const Message& message) {
  return WriteJsonText(std::visit([](const auto& what) { return MessageJson(what); }, message));
}

}  // namespace cursorwire::jsonrpc
