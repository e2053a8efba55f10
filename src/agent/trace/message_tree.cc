#include "agent/trace/message_tree.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/unknown_field_set.h>

#include <vector>

#include "agent/events/tool_view.h"
#include "agent/tools/json_value.h"
#include "agent/trace/visible_bytes.h"
#include "agent/v1/conversation.pb.h"
#include "agent/v1/mcp.pb.h"
#include "agent/v1/model.pb.h"
#include "agent/v1/run.pb.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

constexpr size_t kMaxTreeLines = 200;
constexpr size_t kIndentStep = 2;
// What is deeper is left out: states may hold states, each within the limit of the parser.
constexpr int kMaxTreeDepth = 64;

std::unique_ptr<Message> NewMessage(std::string_view path, TraceSide from) {
  const bool is_request = from == TraceSide::kClient;
  if (path == "/agent.v1.AgentService/Run") {
    if (is_request) return std::make_unique<pb::AgentClientMessage>();
    return std::make_unique<pb::AgentServerMessage>();
  }
  if (path == "/agent.v1.AgentService/GetUsableModels") {
    if (is_request) return std::make_unique<pb::GetUsableModelsRequest>();
    return std::make_unique<pb::GetUsableModelsResponse>();
  }
  return nullptr;
}

// The message within a field of bytes; nullptr: none is known.
std::unique_ptr<Message> ParseInnerBytes(const FieldDescriptor& field, const std::string& bytes) {
  if (field.name() == "conversation_checkpoint_update" || field.name() == "conversation_state") {
    auto state = std::make_unique<pb::ConversationStateStructure>();
    const google::protobuf::LogSilencer silencer;
    if (state->ParseFromString(bytes)) return state;
    return nullptr;
  }
  return ParseToolBytes(field, bytes);
}

class TreeWriter {
 public:
  explicit TreeWriter(size_t indent) : indent_(indent) {}

  void Write(const Message& message, size_t depth) {
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) WriteField(message, *field, depth);
    WriteUnknown(reflection.GetUnknownFields(message), depth);
  }

  std::string Text() const {
    if (lines_ <= kMaxTreeLines) return text_;
    return absl::StrCat(text_, std::string(indent_, ' '), "... (", lines_ - kMaxTreeLines,
                        " more lines)\n");
  }

 private:
  void WriteField(const Message& message, const FieldDescriptor& field, size_t depth) {
    const auto* mcp = dynamic_cast<const pb::McpArgs*>(&message);
    if (mcp != nullptr && field.name() == "args") {
      return Line(depth, absl::StrCat("args: ", VisibleStart(ArgumentsJson(mcp->args()))));
    }
    if (!field.is_repeated()) return WriteValue(message, field, -1, depth);
    const int size = message.GetReflection()->FieldSize(message, &field);
    for (int i = 0; i < size; ++i) WriteValue(message, field, i, depth);
  }

  // `index`: -1 if the field is not repeated.
  void WriteValue(const Message& message, const FieldDescriptor& field, int index, size_t depth) {
    const Reflection& reflection = *message.GetReflection();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      return WriteInner(field, depth,
                        index < 0 ? reflection.GetMessage(message, &field)
                                  : reflection.GetRepeatedMessage(message, &field, index));
    }
    if (field.type() == FieldDescriptor::TYPE_BYTES) {
      const std::string bytes = index < 0 ? reflection.GetString(message, &field)
                                          : reflection.GetRepeatedString(message, &field, index);
      if (const auto inner = ParseInnerBytes(field, bytes); inner != nullptr && !bytes.empty()) {
        return WriteInner(field, depth, *inner);
      }
    }
    Line(depth, absl::StrCat(field.name(), ": ", Scalar(message, field, index)));
  }

  void WriteInner(const FieldDescriptor& field, size_t depth, const Message& inner) {
    if (const auto* value = dynamic_cast<const google::protobuf::Value*>(&inner)) {
      return Line(depth, absl::StrCat(field.name(), ": ", VisibleStart(ValueToJson(*value))));
    }
    Line(depth, absl::StrCat(field.name(), ":"));
    if (depth < kMaxTreeDepth) Write(inner, depth + 1);
  }

  static std::string Scalar(const Message& message, const FieldDescriptor& field, int index) {
    const Reflection& reflection = *message.GetReflection();
    const auto get = [&](auto single, auto repeated) {
      return index < 0 ? (reflection.*single)(message, &field)
                       : (reflection.*repeated)(message, &field, index);
    };
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return absl::StrCat(get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32));
      case FieldDescriptor::CPPTYPE_INT64:
        return absl::StrCat(get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64));
      case FieldDescriptor::CPPTYPE_UINT32:
        return absl::StrCat(get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32));
      case FieldDescriptor::CPPTYPE_UINT64:
        return absl::StrCat(get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return absl::StrCat(get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return absl::StrCat(get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat));
      case FieldDescriptor::CPPTYPE_BOOL:
        return get(&Reflection::GetBool, &Reflection::GetRepeatedBool) ? "true" : "false";
      case FieldDescriptor::CPPTYPE_ENUM:
        return EnumText(field, get(&Reflection::GetEnumValue, &Reflection::GetRepeatedEnumValue));
      case FieldDescriptor::CPPTYPE_STRING: {
        const std::string text = get(&Reflection::GetString, &Reflection::GetRepeatedString);
        return field.type() == FieldDescriptor::TYPE_BYTES ? QuotedBytes(text) : QuotedText(text);
      }
      case FieldDescriptor::CPPTYPE_MESSAGE:
        break;
    }
    return "";
  }

  static std::string EnumText(const FieldDescriptor& field, int number) {
    const auto* value = field.enum_type()->FindValueByNumber(number);
    return value == nullptr ? absl::StrCat(number) : value->name();
  }

  void WriteUnknown(const UnknownFieldSet& fields, size_t depth) {
    for (int i = 0; i < fields.field_count(); ++i) {
      const UnknownField& field = fields.field(i);
      const int number = field.number();
      switch (field.type()) {
        case UnknownField::TYPE_VARINT:
          Line(depth, absl::StrCat(number, " (varint): ", field.varint()));
          break;
        case UnknownField::TYPE_FIXED32:
          Line(depth, absl::StrCat(number, " (32 bits): ", field.fixed32()));
          break;
        case UnknownField::TYPE_FIXED64:
          Line(depth, absl::StrCat(number, " (64 bits): ", field.fixed64()));
          break;
        case UnknownField::TYPE_LENGTH_DELIMITED:
          Line(depth, absl::StrCat(number,
                                   " (length-delimited): ", QuotedBytes(field.length_delimited())));
          break;
        case UnknownField::TYPE_GROUP:
          Line(depth, absl::StrCat(number, " (group):"));
          if (depth < kMaxTreeDepth) WriteUnknown(field.group(), depth + 1);
          break;
      }
    }
  }

  void Line(size_t depth, std::string_view line) {
    if (++lines_ > kMaxTreeLines) return;
    absl::StrAppend(&text_, std::string(indent_ + depth * kIndentStep, ' '), ToAbsl(line), "\n");
  }

  const size_t indent_;
  std::string text_;
  size_t lines_ = 0;
};

// The field that is set in the message's `oneof`; nullptr: there is none.
const FieldDescriptor* SetCase(const Message& message) {
  const auto* type = message.GetDescriptor();
  for (int i = 0; i < type->real_oneof_decl_count(); ++i) {
    const FieldDescriptor* field =
        message.GetReflection()->GetOneofFieldDescriptor(message, type->oneof_decl(i));
    if (field != nullptr) return field;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Message> ParseTracedMessage(std::string_view path, TraceSide from,
                                            const std::string& bytes) {
  const google::protobuf::LogSilencer silencer;
  std::unique_ptr<Message> message = NewMessage(path, from);
  if (message != nullptr && message->ParseFromString(bytes)) return message;
  message = std::make_unique<google::protobuf::Empty>();
  if (message->ParseFromString(bytes)) return message;
  return nullptr;
}

std::string KindOfMessage(const Message& message) {
  if (message.GetDescriptor() == google::protobuf::Empty::descriptor()) return "";
  const FieldDescriptor* field = SetCase(message);
  if (field == nullptr) return message.GetDescriptor()->name();
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return field->name();
  const FieldDescriptor* inner = SetCase(message.GetReflection()->GetMessage(message, field));
  return inner == nullptr ? field->name() : absl::StrCat(field->name(), ".", inner->name());
}

std::string MessageTree(const Message& message, size_t indent) {
  TreeWriter writer(indent);
  writer.Write(message, 0);
  return writer.Text();
}

}  // namespace cursorwire::agent
