#include "room_model.h"

#include <memory>

namespace cursor_collab {
namespace {

using cursorwire::collab::RoomQuestion;
using cursorwire::collab::RoomRun;
using cursorwire::collab::RoomTool;

// An answer is not longer than that; the room cuts it where it takes less.
constexpr size_t kMaxRoomWords = size_t{16} * 1024 * 1024;

// Puts the words of a turn together.
class Words final : public cursorwire::ChatObserver {
 public:
  explicit Words(RoomRun run) : run_(std::move(run)) {}

  void OnEvent(cursorwire::ChatEvent event, cursorwire::connect::CreditHold /*hold*/) override {
    const auto* delta = event.As<cursorwire::TextDelta>();
    if (delta != nullptr && words_.size() < kMaxRoomWords) words_ += delta->text;
  }
  void OnEnd(absl::Status status) override { run_.Finish(std::move(status), std::move(words_)); }

 private:
  const RoomRun run_;
  std::string words_;
};

void AddTool(cursorwire::ToolRegistry& registry, RoomTool tool, const RoomRun& run) {
  registry.AddLater({.name = tool.name,
                     .description = std::move(tool.description),
                     .input_schema = std::move(tool.input_schema),
                     .provider = kRoomProvider,
                     .tool_name = tool.name},
                    [run](const cursorwire::ToolCall& call, cursorwire::ToolReply reply) {
                      run.CallTool(
                          call.name, call.arguments_json,
                          [reply = std::move(reply)](std::string text, bool is_error) {
                            reply.Send(is_error ? cursorwire::ToolResult::Error(std::move(text))
                                                : cursorwire::ToolResult::Text(std::move(text)));
                          });
                    });
}

}  // namespace

void RoomModel::Ask(RoomQuestion question, RoomRun run) {
  cursorwire::ChatRequest request{
      .prompt = std::move(question.prompt),
      .model = model_,
      .system = std::move(question.system),
      .mode = question.tools.empty() ? cursorwire::AgentMode::kAsk : cursorwire::AgentMode::kAgent};
  for (RoomTool& tool : question.tools) AddTool(request.tools, std::move(tool), run);
  id_ = question.id;
  call_ = client_.Chat(request, std::make_shared<Words>(std::move(run)));
}

void RoomModel::Cancel(uint64_t id) {
  if (id == id_) call_.Cancel();
}

}  // namespace cursor_collab
