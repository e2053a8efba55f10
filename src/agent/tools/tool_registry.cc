#include "cursorwire/tools.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/struct.pb.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "agent/tools/json_value.h"
#include "base/error.h"
#include "base/strings.h"

namespace cursorwire {
namespace {

constexpr size_t kMaxToolNameBytes = 64;

absl::Status Bad(const ToolDefinition& definition, std::string_view what) {
  return LocalError(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat("tool '", Printable(definition.name, kMaxToolNameBytes), "': ", ToAbsl(what)));
}

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxToolNameBytes &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
         });
}

absl::Status Check(const ToolDefinition& definition) {
  if (!IsName(definition.name)) {
    return Bad(definition, "a name is 1 to 64 letters, digits, '_' and '-'");
  }
  if (!definition.provider.empty() && !IsName(definition.provider)) {
    return Bad(definition, "its provider is not 1 to 64 letters, digits, '_' and '-'");
  }
  if (!definition.tool_name.empty() && !IsName(definition.tool_name)) {
    return Bad(definition, "its tool_name is not 1 to 64 letters, digits, '_' and '-'");
  }
  if (!IsUtf8(definition.description)) return Bad(definition, "the description is not UTF-8");
  if (definition.input_schema.empty()) return absl::OkStatus();
  if (const size_t depth = SchemaDepth(definition.input_schema); depth > kMaxSchemaDepth) {
    return Bad(definition,
               absl::StrCat("the schema is nested ", depth,
                            " objects and lists deep, over the limit of ", kMaxSchemaDepth));
  }
  const absl::StatusOr<google::protobuf::Value> schema =
      agent::JsonToValue(definition.input_schema);
  if (!schema.ok()) {
    return Bad(definition, absl::StrCat("the schema: ", schema.status().message()));
  }
  return schema->has_struct_value() ? absl::OkStatus()
                                    : Bad(definition, "the schema is no JSON object");
}

const std::string& ToolNameOf(const ToolDefinition& definition) {
  return definition.tool_name.empty() ? definition.name : definition.tool_name;
}

// Whether a tool of the same provider has the same name there.
bool HasToolOfProvider(const ToolRegistry& tools, const ToolDefinition& definition) {
  for (size_t i = 0; i < tools.size(); ++i) {
    const ToolDefinition& other = tools.definition(i);
    if (other.provider == definition.provider && ToolNameOf(other) == ToolNameOf(definition)) {
      return true;
    }
  }
  return false;
}

// Returns size() if there is no such tool.
size_t IndexOf(const ToolRegistry& tools, std::string_view name) {
  size_t index = 0;
  while (index < tools.size() && tools.definition(index).name != name) ++index;
  return index;
}

}  // namespace

ToolRegistry& ToolRegistry::Add(ToolDefinition definition, Handler handler) {
  LaterHandler later;
  if (handler) {
    later = [handler = std::move(handler)](const ToolCall& call, const ToolReply& reply) {
      reply.Send(handler(call));
    };
  }
  return AddLater(std::move(definition), std::move(later));
}

ToolRegistry& ToolRegistry::AddLater(ToolDefinition definition, LaterHandler handler) {
  absl::Status status = Check(definition);
  if (status.ok() && !handler) status = Bad(definition, "it has no handler");
  if (status.ok() && IndexOf(*this, definition.name) < size()) {
    status = LocalError(absl::StatusCode::kAlreadyExists,
                        absl::StrCat("two tools have the name ", definition.name));
  }
  if (status.ok() && HasToolOfProvider(*this, definition)) {
    status = LocalError(absl::StatusCode::kAlreadyExists,
                        absl::StrCat("two tools of ", definition.provider, " have the name ",
                                     ToolNameOf(definition)));
  }
  status_.Update(status);
  if (status.ok()) {
    tools_.push_back(std::make_shared<const Tool>(Tool{std::move(definition), std::move(handler)}));
  }
  return *this;
}

ToolRegistry& ToolRegistry::AddInstructions(ToolInstructions instructions) {
  const bool valid = !instructions.text.empty() && IsUtf8(instructions.text) &&
                     IsUtf8(instructions.provider) && IsUtf8(instructions.server);
  if (valid) instructions_.push_back(std::move(instructions));
  return *this;
}

ToolRegistry& ToolRegistry::AddServer(ToolServer server) {
  const bool valid = IsUtf8(server.provider) && IsUtf8(server.name) && IsUtf8(server.status);
  if (valid) servers_.push_back(std::move(server));
  return *this;
}

ToolRegistry& ToolRegistry::ServeResources(std::shared_ptr<ExecHandler> handler) {
  resources_ = std::move(handler);
  return *this;
}

void ToolRegistry::Call(const ToolCall& call, const ToolReply& reply) const {
  const size_t index = IndexOf(*this, call.name);
  if (index == size()) {
    return reply.Send(LocalError(
        absl::StatusCode::kNotFound,
        absl::StrCat("there is no tool '", Printable(call.name, kMaxToolNameBytes), "'")));
  }
  // If the tool throws after it answered, this reply is ignored: the first answer counts.
  try {
    tools_[index]->handler(call, reply);
  } catch (const std::exception& exception) {
    reply.Send(
        LocalError(absl::StatusCode::kUnknown, absl::StrCat("the tool threw: ", exception.what())));
  } catch (...) {
    reply.Send(LocalError(absl::StatusCode::kUnknown, "the tool threw: not a std::exception"));
  }
}

}  // namespace cursorwire
