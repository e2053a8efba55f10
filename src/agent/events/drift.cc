#include "agent/events/drift.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <string>
#include <vector>

#include "agent/events/tool_view.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr size_t kMaxFinds = 256;
// Also bounds the recursion into messages that are nested as bytes fields.
constexpr size_t kMaxPathBytes = 512;
// Longer bytes fields are not parsed.
constexpr size_t kMaxParsedBytes = size_t{1024} * 1024;

class DriftSearch {
 public:
  DriftSearch(std::string_view path, const std::function<void(std::string_view path)>& found)
      : path_(path), found_(found) {}

  void Visit(const Message& message) {
    if (message.GetDescriptor()->file()->package() == "google.protobuf") return;
    VisitUnknown(message.GetReflection()->GetUnknownFields(message));
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (finds_ >= kMaxFinds) return;
      VisitField(message, *field);
    }
  }

 private:
  void VisitUnknown(const google::protobuf::UnknownFieldSet& fields) {
    int former = 0;
    for (int i = 0; i < fields.field_count() && finds_ < kMaxFinds; ++i) {
      const int number = fields.field(i).number();
      if (number == former) continue;  // elements of one list
      former = number;
      Report(absl::StrCat(path_, path_.empty() ? "" : ".", number));
    }
  }

  void VisitField(const Message& message, const FieldDescriptor& field) {
    const size_t former = path_.size();
    absl::StrAppend(&path_, path_.empty() ? "" : ".", field.name());
    if (path_.size() <= kMaxPathBytes) {
      if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        VisitMessages(message, field);
      } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
        VisitEnums(message, field);
      } else if (field.type() == FieldDescriptor::TYPE_BYTES && !field.is_repeated()) {
        VisitBytes(message, field);
      }
    }
    path_.resize(former);
  }

  // Entries of a map are messages with a `key` and a `value`.
  void VisitMessages(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    if (!field.is_repeated()) return Visit(reflection.GetMessage(message, &field));
    const int size = reflection.FieldSize(message, &field);
    for (int i = 0; i < size && finds_ < kMaxFinds; ++i) {
      Visit(reflection.GetRepeatedMessage(message, &field, i));
    }
  }

  void VisitEnums(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    if (!field.is_repeated()) return VisitEnum(field, reflection.GetEnumValue(message, &field));
    const int size = reflection.FieldSize(message, &field);
    for (int i = 0; i < size && finds_ < kMaxFinds; ++i) {
      VisitEnum(field, reflection.GetRepeatedEnumValue(message, &field, i));
    }
  }

  void VisitEnum(const FieldDescriptor& field, int value) {
    if (field.enum_type()->FindValueByNumber(value) == nullptr) {
      Report(absl::StrCat(path_, "=", value));
    }
  }

  void VisitBytes(const Message& message, const FieldDescriptor& field) {
    std::string scratch;
    const std::string& bytes =
        message.GetReflection()->GetStringReference(message, &field, &scratch);
    if (bytes.size() > kMaxParsedBytes) return;
    if (const auto within = ParseToolBytes(field, bytes)) Visit(*within);
  }

  void Report(const std::string& path) {
    if (path.size() > kMaxPathBytes || finds_ >= kMaxFinds) return;
    ++finds_;
    found_(path);
  }

  std::string path_;
  const std::function<void(std::string_view path)>& found_;
  size_t finds_ = 0;
};

// Whether the message itself has unknown fields; nested messages are not looked at.
bool HasUnknown(const Message& message) {
  return !message.GetReflection()->GetUnknownFields(message).empty();
}

}  // namespace

void FindDrift(const Message& message, std::string_view path,
               const std::function<void(std::string_view path)>& found) {
  DriftSearch(path, found).Visit(message);
}

bool HasNoDrift(const pb::AgentServerMessage& message) {
  const pb::InteractionUpdate& update = message.interaction_update();
  if (HasUnknown(message) || HasUnknown(update) || message.has_ttft_breakdown()) return false;
  switch (update.message_case()) {
    case pb::InteractionUpdate::kTextDelta:
      return !HasUnknown(update.text_delta());
    case pb::InteractionUpdate::kThinkingDelta:
      return !HasUnknown(update.thinking_delta()) &&
             pb::ThinkingStyle_IsValid(update.thinking_delta().thinking_style());
    case pb::InteractionUpdate::kTokenDelta:
      return !HasUnknown(update.token_delta());
    case pb::InteractionUpdate::kHeartbeat:
      return !HasUnknown(update.heartbeat());
    default:
      return false;
  }
}

}  // namespace cursorwire::agent
