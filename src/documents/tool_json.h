#ifndef CURSORWIRE_SRC_DOCUMENTS_TOOL_JSON_H_
#define CURSORWIRE_SRC_DOCUMENTS_TOOL_JSON_H_

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/documents/document.h"

namespace cursorwire::documents {

using Json = nlohmann::json;

// Deeper JSON of a tool is taken for a text: it could overflow the stack when it is written.
inline constexpr int kMaxToolJsonDepth = 100;

// The JSON of a tool's arguments or result. What is not an object becomes {"text": ...}.
Json ReadToolJson(const std::string& text);
// On one line; bytes that are not UTF-8 become U+FFFD.
std::string WriteJson(const Json& value);

// The first member with one of these names that is a string; "" if none is.
std::string StringMember(const Json& object, std::initializer_list<const char*> names);
// The same, where an empty string counts as one.
std::optional<std::string> FindString(const Json& object, std::initializer_list<const char*> names);
// A number, or a string of its digits, as protobuf's JSON writes 64-bit numbers.
std::optional<int32_t> NumberMember(const Json& object, const char* name);
// The elements of an array; empty if it is none.
const Json& ArrayMember(const Json& object, const char* name);
// An object, or an empty one.
const Json& ObjectMember(const Json& object, const char* name);

// The texts of a result of a client's tool, as the Model Context Protocol has them; "" if there are
// none.
std::string ContentText(const Json& details);

// What became of a call. The protocol's results are objects with one member that says what
// happened ("success", "rejected", ...), beside others.
struct ReadOutcome {
  ToolOutcome outcome{};
  // The name of that member; of a failed tool of a client "error"; "" where there is none.
  std::string word{};
  Json details{};         // its value
  Json sandbox_policy{};  // what was in force for a command, as agent.v1 has it; else null
  std::string message{};  // of an error, for a person; never empty then
  std::string reason{};   // of an error: the words of the tool; may be empty
};
ReadOutcome ReadResult(const Json& result);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_TOOL_JSON_H_
