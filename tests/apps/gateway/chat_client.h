#ifndef CURSORWIRE_TESTS_APPS_GATEWAY_CHAT_CLIENT_H_
#define CURSORWIRE_TESTS_APPS_GATEWAY_CHAT_CLIENT_H_

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/gateway/raw_client.h"

namespace cursor_gateway {

using nlohmann::json;

inline json UserSays(const std::string& text) { return {{"role", "user"}, {"content", text}}; }
inline json AssistantSaid(const std::string& text) {
  return {{"role", "assistant"}, {"content", text}};
}

// A body of chat completions; `more` has members beside them.
inline json Function(const std::string& name) {
  return {{"type", "function"},
          {"function", {{"name", name}, {"parameters", {{"type", "object"}}}}}};
}

inline json ChatBody(const json& messages, const json& more = json::object()) {
  json body = {{"model", "some-model"}, {"messages", messages}};
  body.update(more);
  return body;
}

// An answer, whole or streamed.
struct ChatResult {
  int status = 0;
  std::string head;
  json body;                 // of an answer that is not streamed
  std::vector<json> chunks;  // of a stream, without the last line
  bool done = false;         // it ended with [DONE]

  json message() const { return body.at("choices").at(0).at("message"); }
  std::string text() const {
    if (!body.is_null()) {
      const json content = message().at("content");
      return content.is_null() ? "" : content.get<std::string>();
    }
    std::string all;
    for (const json& chunk : chunks) {
      if (!chunk.contains("choices") || chunk["choices"].empty()) continue;
      all += chunk["choices"][0]["delta"].value("content", "");
    }
    return all;
  }
  std::string finish_reason() const {
    if (!body.is_null()) return body.at("choices").at(0).at("finish_reason");
    for (const json& chunk : chunks) {
      if (!chunk.contains("choices") || chunk["choices"].empty()) continue;
      if (!chunk["choices"][0]["finish_reason"].is_null())
        return chunk["choices"][0]["finish_reason"];
    }
    return "";
  }
};

// Reads what a stream has after its head, up to its end.
inline ChatResult ReadChat(RawClient& client) {
  ChatResult result;
  std::string response = client.ReadUntil("\r\n\r\n");
  if (response.size() < 12) return result;
  result.status = std::stoi(response.substr(9, 3));
  result.head = response;
  if (response.find("chunked") == std::string::npos) {
    const size_t at = response.find("Content-Length: ");
    const size_t size = std::stoul(response.substr(at + 16));
    std::string body;
    while (body.size() < size) {
      const std::string piece = client.ReadUntil("}");
      if (piece.empty()) break;
      body += piece;
    }
    result.body = json::parse(body, nullptr, false);
    return result;
  }
  response += client.ReadUntil("\r\n0\r\n\r\n");
  const std::string body = BodyOf(response);
  for (size_t at = 0; at < body.size();) {
    const size_t end = body.find("\n\n", at);
    const std::string line = body.substr(at, end - at);
    at = end == std::string::npos ? body.size() : end + 2;
    if (line == "data: [DONE]") {
      result.done = true;
    } else if (line.rfind("data: ", 0) == 0) {
      EXPECT_FALSE(result.done) << "something after [DONE]";
      result.chunks.push_back(json::parse(line.substr(6)));
    } else {
      EXPECT_EQ(line, ": keepalive");
    }
  }
  return result;
}

inline ChatResult AskChat(uint16_t port, const json& body, const std::string& fields = "") {
  RawClient client(port);
  client.Send(Post("/v1/chat/completions", body.dump(), fields));
  return ReadChat(client);
}

}  // namespace cursor_gateway

#endif  // CURSORWIRE_TESTS_APPS_GATEWAY_CHAT_CLIENT_H_
