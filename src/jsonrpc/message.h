#ifndef CURSORWIRE_SRC_JSONRPC_MESSAGE_H_
#define CURSORWIRE_SRC_JSONRPC_MESSAGE_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "cursorwire/jsonrpc/peer.h"
#include "jsonrpc/json_text.h"

namespace cursorwire::jsonrpc {

// Messages of JSON-RPC 2.0. Values. Source: the JSON-RPC 2.0 specification, sections 4 and 5.

struct RpcError {
  int64_t code = kInternalError;
  std::string message{};
  Json data{};  // null: there is none

  friend bool operator==(const RpcError&, const RpcError&) = default;
};

// Wants an answer with the same `id`: a string, a number that can be sent back as it came, or null.
struct Request {
  Json id{};
  std::string method{};
  Json params{};  // an object or a list; null: there are none

  friend bool operator==(const Request&, const Request&) = default;
};

struct Notification {
  std::string method{};
  Json params{};  // as in Request

  friend bool operator==(const Notification&, const Notification&) = default;
};

struct Response {
  Json id{};
  std::variant<Json, RpcError> outcome{};  // the result, or why there is none

  friend bool operator==(const Response&, const Response&) = default;
};

using Message = std::variant<Request, Notification, Response>;

// What is no message, and the id to which an answer may go: null if it has none.
struct NoMessage {
  Json id{};
  std::string reason{};
  // Of the request that it was meant to answer; null: it looks like no answer.
  Json answers{};
};

// Takes a value for a message. Members that are not known are ignored. An error whose members have
// other types than the specification says is still an error, with what can be read of it.
std::variant<Message, NoMessage> ReadMessage(Json value);

// The number that an id of a message is, for one whose own ids are numbers: peers send them back as
// 1, 1.0 or "1". nullopt: it is no such number.
std::optional<uint64_t> NumberOfId(const Json& id);

// The message without a line end.
std::string WriteMessage(const Message& message);

}  // namespace cursorwire::jsonrpc

#endif  // CURSORWIRE_SRC_JSONRPC_MESSAGE_H_
