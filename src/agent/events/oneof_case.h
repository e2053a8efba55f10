#ifndef CURSORWIRE_SRC_AGENT_EVENTS_ONEOF_CASE_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_ONEOF_CASE_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>

namespace cursorwire::agent {

// The name of the field that is set in the oneof called `oneof`; "" if no field is set.
inline std::string OneofCase(const google::protobuf::Message& message, const char* oneof) {
  const auto* field = message.GetReflection()->GetOneofFieldDescriptor(
      message, message.GetDescriptor()->FindOneofByName(oneof));
  return field == nullptr ? "" : field->name();
}

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_ONEOF_CASE_H_
