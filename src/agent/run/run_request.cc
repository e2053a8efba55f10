#include "agent/run/run_request.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/exec/ls_listing.h"
#include "agent/history/prompt_message.h"
#include "agent/history/turn_blobs.h"
#include "agent/run/conversation_state.h"
#include "base/error.h"
#include "base/strings.h"
#include "cursorwire/chat.h"
#include "cursorwire/tools.h"
#include "wire/proto_reader.h"
#include "wire/proto_writer.h"
#include "wire/selected_context.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

// Prompt, rules and images leave room for the rest of the message within the 64 MiB of an envelope.
constexpr size_t kMiB = size_t{1024} * 1024;
constexpr size_t kMaxTextBytes = 32 * kMiB;
constexpr size_t kMaxImagesBytes = 32 * kMiB;
constexpr size_t kMaxAttachmentBytes = 16 * kMiB;
constexpr size_t kMaxAttachments = 1000;
constexpr size_t kMaxRuleBytes = 4 * kMiB;
constexpr size_t kMaxRules = 1000;
constexpr size_t kMaxProjectBytes = 4 * kMiB;
constexpr size_t kMaxRepositories = 1000;
constexpr size_t kMaxRequestBytes = 60 * kMiB;
// Names, descriptions and schemas of all tools. They are sent twice, and a schema is a few times as
// large as a google.protobuf.Value.
constexpr size_t kMaxToolsBytes = 4 * kMiB;

// The service offers a handful.
constexpr size_t kMaxModelParameters = 64;

// Field number in ConversationStateStructure.
constexpr uint32_t kRootPromptMessages = 1;

// Source: docs/protocol.md, recovery.
constexpr char kGoOn[] =
    "The connection was lost in the middle of your answer. What you have said so far and the "
    "results of the tools that you have used are above. Continue exactly where you left off: do "
    "not repeat anything, and do not use those tools again for the same purpose.";

absl::Status Invalid(std::string_view message) {
  return LocalError(absl::StatusCode::kInvalidArgument, message);
}

bool AreGood(const std::vector<ModelParameter>& parameters) {
  return parameters.size() <= kMaxModelParameters &&
         std::all_of(parameters.begin(), parameters.end(), [](const ModelParameter& parameter) {
           return !parameter.id.empty() && IsUtf8(parameter.id) && IsUtf8(parameter.value);
         });
}

absl::Status CheckImages(const std::vector<std::string>& images) {
  size_t total = 0;
  for (size_t i = 0; i < images.size(); ++i) {
    total += images[i].size();
    if (images[i].size() > kMaxImageBytes) {
      return Invalid(absl::StrCat("image ", i + 1, " is larger than 5 MiB"));
    }
    if (!ImageMimeType(images[i])) {
      return Invalid(absl::StrCat("image ", i + 1, " is not a jpeg, png, gif or webp"));
    }
  }
  if (total > kMaxImagesBytes) return Invalid("the images are larger than 32 MiB in all");
  return absl::OkStatus();
}

// As the message will have it, but for the few bytes between the texts.
size_t BytesOf(const LsFolder& folder) {
  size_t bytes = folder.path.size();
  for (const std::string& file : folder.files) bytes += file.size();
  for (const LsFolder& child : folder.folders) bytes += BytesOf(child);
  return bytes;
}

size_t BytesOf(const Attachment& attachment) {
  if (const auto* file = std::get_if<AttachedFile>(&attachment)) {
    return file->path.size() + file->relative_path.size() + file->content.size();
  }
  const auto& folder = std::get<AttachedFolder>(attachment);
  return folder.relative_path.size() + BytesOf(folder.tree);
}

size_t BytesOf(const std::vector<Attachment>& attachments) {
  size_t bytes = 0;
  for (const Attachment& attachment : attachments) bytes += BytesOf(attachment);
  return bytes;
}

// A listing may hold any names: those that are not UTF-8 are written with U+FFFD.
bool IsText(const Attachment& attachment) {
  if (const auto* file = std::get_if<AttachedFile>(&attachment)) {
    return IsUtf8(file->path) && IsUtf8(file->relative_path) && IsUtf8(file->content);
  }
  return IsUtf8(std::get<AttachedFolder>(attachment).relative_path);
}

absl::Status CheckAttachments(const std::vector<Attachment>& attachments) {
  if (attachments.size() > kMaxAttachments) return Invalid("there are more than 1000 attachments");
  if (BytesOf(attachments) > kMaxAttachmentBytes) {
    return Invalid("the attachments are larger than 16 MiB in all");
  }
  for (size_t i = 0; i < attachments.size(); ++i) {
    if (!IsText(attachments[i])) {
      return Invalid(absl::StrCat("attachment ", i + 1, " is not text in UTF-8"));
    }
  }
  return absl::OkStatus();
}

bool IsText(const AgentRule& rule) {
  return IsUtf8(rule.path) && IsUtf8(rule.content) && IsUtf8(rule.description) &&
         std::all_of(rule.globs.begin(), rule.globs.end(),
                     [](const std::string& glob) { return IsUtf8(glob); });
}

absl::Status CheckRules(const std::vector<AgentRule>& rules) {
  if (rules.size() > kMaxRules) return Invalid("there are more than 1000 rules");
  size_t bytes = 0;
  for (size_t i = 0; i < rules.size(); ++i) {
    bytes += rules[i].path.size() + rules[i].content.size() + rules[i].description.size();
    for (const std::string& glob : rules[i].globs) bytes += glob.size();
    if (!IsText(rules[i])) return Invalid(absl::StrCat("rule ", i + 1, " is not text in UTF-8"));
  }
  if (bytes > kMaxRuleBytes) return Invalid("the rules are larger than 4 MiB in all");
  return absl::OkStatus();
}

absl::Status CheckProject(const ChatRequest& request) {
  if (request.project_layouts.size() + request.git_repositories.size() > kMaxRepositories) {
    return Invalid("there are more than 1000 layouts and repositories of the project");
  }
  size_t bytes = 0;
  for (const LsFolder& layout : request.project_layouts) bytes += BytesOf(layout);
  for (const GitRepository& repository : request.git_repositories) {
    bytes += repository.path.size() + repository.branch.size() + repository.status.size();
    if (!IsUtf8(repository.path) || !IsUtf8(repository.branch) || !IsUtf8(repository.status)) {
      return Invalid("what is said of a git repository is not text in UTF-8");
    }
  }
  if (bytes > kMaxProjectBytes) {
    return Invalid("the layouts and repositories of the project are larger than 4 MiB in all");
  }
  return absl::OkStatus();
}

size_t BytesOf(const ToolRegistry& tools) {
  size_t bytes = 0;
  for (size_t i = 0; i < tools.size(); ++i) {
    const ToolDefinition& tool = tools.definition(i);
    bytes += tool.name.size() + tool.description.size() + tool.input_schema.size();
  }
  return bytes;
}

absl::Status CheckSizes(const ChatRequest& request, const RunConversation& conversation) {
  if (request.prompt.size() > kMaxTextBytes || request.system.size() > kMaxTextBytes) {
    return Invalid("the prompt or the system text is larger than 32 MiB");
  }
  if (conversation.state.size() > kMaxStateBytes) {
    return Invalid("the state of the conversation is larger than 48 MiB: begin a new conversation");
  }
  const size_t tools = BytesOf(request.tools);
  if (tools > kMaxToolsBytes) {
    return Invalid("the definitions of the tools are larger than 4 MiB in all");
  }
  size_t total = request.prompt.size() + conversation.state.size() + tools;
  for (const std::string& image : request.images) total += image.size();
  total += BytesOf(request.attachments);
  if (total > kMaxRequestBytes) {
    return Invalid(
        "prompt, images, attachments, tools and state of the conversation are larger than 60 MiB "
        "together");
  }
  return absl::OkStatus();
}

// Source: docs/protocol.md, user message.
pb::AgentMode ToWire(AgentMode mode) {
  switch (mode) {
    case AgentMode::kAgent:
      return pb::AGENT_MODE_AGENT;
    case AgentMode::kPlan:
      return pb::AGENT_MODE_PLAN;
    case AgentMode::kAsk:
      return pb::AGENT_MODE_ASK;
    case AgentMode::kDebug:
      return pb::AGENT_MODE_DEBUG;
  }
  return pb::AGENT_MODE_AGENT;
}

bool HasRulesMessage(const ChatRequest& request) {
  return !request.system.empty() && request.system_placement != SystemPlacement::kCloudRule;
}

std::string PutRules(const std::string& system, BlobStore& blobs) {
  return blobs.Put(UserMessage(absl::StrCat("<rules>\n", system, "\n</rules>")));
}

// The system message is one that small clients send, first in the list; the service puts its own in
// its place. Source: docs/protocol.md, first message.
std::string FreshState(const ChatRequest& request, const RunConversation& conversation,
                       const Environment& environment, BlobStore& blobs) {
  pb::ConversationStateStructure state;
  state.add_root_prompt_messages_json(blobs.Put(SystemMessage("You are an agent.")));
  if (HasRulesMessage(request)) {
    state.add_root_prompt_messages_json(PutRules(request.system, blobs));
  }
  for (const HistoryTurn& turn : conversation.history) AddTurn(turn, blobs, state);
  if (conversation.start == RunStart::kContinue) {
    AddPromptMessages(
        {.prompt = request.prompt, .images = request.images.size(), .items = conversation.items},
        blobs, state);
  }
  if (!environment.workspace.empty()) {
    state.add_previous_workspace_uris(FileUri(environment.workspace));
  }
  state.set_mode(ToWire(request.mode));
  return state.SerializeAsString();
}

// Whether the state names that root prompt message. A state is the server's: what cannot be read of
// it is left to the server.
bool NamesPromptMessage(std::string_view state, std::string_view blob_id) {
  wire::ProtoReader reader(state);
  for (;;) {
    const auto field = reader.Next();
    if (!field.ok() || !field->has_value()) return false;
    if ((*field)->number == kRootPromptMessages && (*field)->bytes == blob_id) return true;
  }
}

// Rules stay in the state for the turns that follow, so only new ones are added; so are turns that
// it does not hold, in the form in which a state that is built from history has them. The state
// goes back to the server verbatim: what is added stands after it, which means the same in
// protobuf as an element after the others.
std::string FormerState(const ChatRequest& request, const RunConversation& conversation,
                        BlobStore& blobs) {
  const std::string& state = conversation.state;
  // A turn that goes on has its rules in its state, and the turns before it.
  if (conversation.start == RunStart::kResume) return state;
  wire::ProtoWriter writer;
  for (const HistoryTurn& turn : conversation.turns_since_state) {
    for (const std::string& message : MessagesOf(turn)) {
      writer.Bytes(kRootPromptMessages, blobs.Put(message));
    }
  }
  if (HasRulesMessage(request)) {
    const std::string id = PutRules(request.system, blobs);
    const bool are_last = !conversation.rules || *conversation.rules == request.system;
    if (!are_last || !NamesPromptMessage(state, id)) writer.Bytes(kRootPromptMessages, id);
  }
  return state + writer.message();
}

void AddImage(const std::string& bytes, IdSource& ids, pb::SelectedContext& context) {
  pb::SelectedImage& image = *context.add_selected_images();
  image.set_uuid(ids.Uuid());
  image.set_mime_type(std::string(ImageMimeType(bytes).value_or("")));
  image.set_data(bytes);
}

void AddAttachment(const Attachment& attachment, pb::SelectedContext& context) {
  if (const auto* file = std::get_if<AttachedFile>(&attachment)) {
    pb::SelectedFile& selected = *context.add_files();
    selected.set_content(file->content);
    selected.set_path(file->path);
    if (!file->relative_path.empty()) selected.set_relative_path(file->relative_path);
    return;
  }
  const auto& folder = std::get<AttachedFolder>(attachment);
  pb::SelectedFolder& selected = *context.add_folders();
  selected.set_path(ToUtf8(folder.tree.path));
  if (!folder.relative_path.empty()) selected.set_relative_path(folder.relative_path);
  FillFolder(folder.tree, *selected.mutable_directory_tree());
}

// The ids of the root prompt messages of a state. What cannot be read of it is left to the server.
std::vector<std::string> RootPromptIds(std::string_view state) {
  std::vector<std::string> ids;
  wire::ProtoReader reader(state);
  for (;;) {
    const auto field = reader.Next();
    if (!field.ok() || !field->has_value()) return ids;
    if ((*field)->number == kRootPromptMessages && (*field)->bytes.size() == kBlobIdBytes) {
      ids.emplace_back((*field)->bytes);
    }
  }
}

// The state that the attachments belong to. Source: docs/protocol.md, user message.
std::string PutSelectedContextBlob(std::string_view state, BlobStore& blobs) {
  // Ids of the right size and an empty name are all that it takes.
  const absl::StatusOr<std::string> blob =
      EncodeSelectedContextBlob({.root_prompt_blob_ids = RootPromptIds(state)});
  return blob.ok() ? blobs.Put(*blob) : "";
}

// Source: docs/protocol.md, requested model.
void SetModel(const ChatRequest& request, pb::RequestedModel& model) {
  model.set_model_id(request.model);
  model.set_max_mode(request.max_mode);
  for (const ModelParameter& parameter : request.model_parameters) {
    pb::RequestedModel::ModelParameterValue& value = *model.add_parameters();
    value.set_id(parameter.id);
    value.set_value(parameter.value);
  }
}

absl::Status CheckConversation(const RunConversation& conversation) {
  if (!IsUtf8(conversation.id)) return Invalid("the conversation id is bad");
  const bool has_state = !conversation.state.empty();
  if (has_state && conversation.id.empty()) {
    return Invalid("a conversation that goes on needs its conversation id");
  }
  if (has_state && conversation.blobs == nullptr) {
    return Invalid("a conversation that goes on needs the blobs of its turns");
  }
  if (conversation.start == RunStart::kResume && !has_state) {
    return Invalid("a turn is resumed from its state, which is missing");
  }
  if (conversation.start == RunStart::kContinue && has_state) {
    return Invalid("a turn that is told again needs a state of its own, not a former one");
  }
  // The service could not read it either, in this turn and all that follow.
  if (!IsConversationState(conversation.state)) {
    return Invalid("the state of the conversation is damaged: begin a new conversation");
  }
  return absl::OkStatus();
}

// `state` is the one that the request has.
void SetUserMessage(const ChatRequest& request, const RunConversation& conversation,
                    std::string_view state, IdSource& ids, BlobStore& blobs,
                    pb::UserMessage& user) {
  const bool goes_on = conversation.start == RunStart::kContinue;
  user.set_text(goes_on ? kGoOn : request.prompt);
  user.set_message_id(ids.Uuid());
  user.set_mode(ToWire(request.mode));
  for (const Attachment& attachment : request.attachments) {
    AddAttachment(attachment, *user.mutable_selected_context());
  }
  if (!request.attachments.empty()) {
    user.set_conversation_state_blob_id(PutSelectedContextBlob(state, blobs));
  }
  if (goes_on) return;
  for (const std::string& image : request.images) {
    AddImage(image, ids, *user.mutable_selected_context());
  }
}

}  // namespace

absl::Status CheckRunRequest(const ChatRequest& request, const RunConversation& conversation) {
  if (request.prompt.empty()) return Invalid("the prompt is empty");
  if (absl::Status status = CheckSizes(request, conversation); !status.ok()) return status;
  if (!IsUtf8(request.prompt)) return Invalid("the prompt is not UTF-8");
  if (!IsUtf8(request.system)) return Invalid("the system text is not UTF-8");
  if (request.model.empty() || !IsUtf8(request.model)) return Invalid("the model id is bad");
  if (!AreGood(request.model_parameters)) return Invalid("the model parameters are bad");
  if (absl::Status status = CheckConversation(conversation); !status.ok()) return status;
  if (!request.tools.status().ok()) return request.tools.status();
  if (absl::Status status = CheckAttachments(request.attachments); !status.ok()) return status;
  if (absl::Status status = CheckRules(request.rules); !status.ok()) return status;
  if (absl::Status status = CheckProject(request); !status.ok()) return status;
  return CheckImages(request.images);
}

pb::AgentClientMessage MakeRunRequest(const ChatRequest& request,
                                      const RunConversation& conversation,
                                      const Environment& environment, const ToolOffer& tools,
                                      IdSource& ids, BlobStore& blobs) {
  pb::AgentClientMessage message;
  pb::AgentRunRequest& run = *message.mutable_run_request();
  run.set_conversation_state(conversation.state.empty()
                                 ? FreshState(request, conversation, environment, blobs)
                                 : FormerState(request, conversation, blobs));
  run.set_conversation_id(conversation.id.empty() ? ids.Uuid() : conversation.id);
  run.set_run_id(ids.Uuid());
  SetModel(request, *run.mutable_requested_model());
  for (const pb::McpToolDefinition& tool : tools.definitions()) {
    *run.mutable_mcp_tools()->add_mcp_tools() = tool;
  }
  if (conversation.start == RunStart::kResume) {
    run.mutable_action()->mutable_resume_action();
  } else {
    SetUserMessage(request, conversation, run.conversation_state(), ids, blobs,
                   *run.mutable_action()->mutable_user_message_action()->mutable_user_message());
  }
  return message;
}

}  // namespace cursorwire::agent
