#include "agent/events/tool_view.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/stubs/logging.h>

#include "agent/v1/exec_fetch.pb.h"
#include "agent/v1/exec_files.pb.h"
#include "agent/v1/exec_screen.pb.h"
#include "agent/v1/interaction.pb.h"
#include "agent/v1/query.pb.h"
#include "agent/v1/tool_call.pb.h"
#include "agent/v1/tool_view_descriptors.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;
using google::protobuf::Message;

// Keeps the linker from dropping the generated code of the files that tool_view_*.proto import.
// Their own imports come with them.
void UseImports() {
  pb::FetchArgs::descriptor();
  pb::ReadArgs::descriptor();
  pb::RecordScreenArgs::descriptor();
  pb::InteractionUpdate::descriptor();
  pb::InteractionQuery::descriptor();
}

class ToolView {
 public:
  ToolView() : pool_(DescriptorPool::generated_pool()), factory_(&pool_) {
    UseImports();
    FileDescriptorSet files;
    files.ParseFromArray(pb::kToolViewDescriptors, sizeof(pb::kToolViewDescriptors));
    for (const FileDescriptorProto& file : files.file()) pool_.BuildFile(file);
    // Messages that have generated code keep their generated type inside dynamic messages.
    factory_.SetDelegateToGeneratedFactory(true);
  }

  // nullptr if no message has that name.
  std::unique_ptr<Message> New(const std::string& name) const {
    const Descriptor* descriptor = pool_.FindMessageTypeByName(name);
    if (descriptor == nullptr) return nullptr;
    return std::unique_ptr<Message>(factory_.GetPrototype(descriptor)->New());
  }

 private:
  DescriptorPool pool_;
  mutable google::protobuf::DynamicMessageFactory factory_;  // has its own lock
};

// A message is named like its field. Source: the comments of tool_call.proto and interaction.proto.
std::string MessageName(const FieldDescriptor& field) {
  std::string name = field.camelcase_name();
  name[0] = absl::ascii_toupper(static_cast<unsigned char>(name[0]));
  return absl::StrCat(field.file()->package(), ".", name);
}

}  // namespace

std::unique_ptr<Message> ParseToolBytes(const FieldDescriptor& field, const std::string& bytes) {
  const Descriptor* owner = field.containing_type();
  const bool holds_tool =
      owner == pb::ToolCall::descriptor() || owner == pb::ToolCallDeltaUpdate::descriptor();
  if (!holds_tool || field.type() != FieldDescriptor::TYPE_BYTES) return nullptr;
  // Never destroyed: a thread may use it while the program ends.
  static const ToolView& view = *new ToolView;
  std::unique_ptr<Message> message = view.New(MessageName(field));
  if (message == nullptr) return nullptr;
  const google::protobuf::LogSilencer silencer;
  if (!message->ParseFromString(bytes)) return nullptr;
  return message;
}

}  // namespace cursorwire::agent
