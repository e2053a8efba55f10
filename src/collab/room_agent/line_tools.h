#ifndef CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_TOOLS_H_
#define CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_TOOLS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collab/room_agent/line_snapshot.h"

namespace cursorwire::room_agent {

// What search_code tells at most, and if it is not told how much; and how much of a line.
inline constexpr int64_t kMaxFoundLines = 200;
inline constexpr int64_t kDefaultFoundLines = 50;
inline constexpr size_t kMaxFoundCharacters = 400;

struct LineToolLimits {
  uint32_t max_calls = 50;                         // of a run
  size_t max_content_bytes = size_t{256} * 1024;   // of new text in a call
  size_t max_run_content_bytes = size_t{1} << 20;  // of new text in the edits of a run
};

// The answer to a call, for the model: it says what to do next, or is JSON.
struct ToolReply {
  std::string text{};
  bool is_error = false;
  std::optional<AppliedEdit> edit{};  // what the call has changed
  bool limit_reached = false;         // the run has made all its calls; this one did nothing
};

struct ToolDefinition {
  std::string_view name{};
  std::string_view description{};
  nlohmann::json schema{};  // of the arguments, as JSON Schema
};

// get_line_range, replace_lines, insert_at_line, delete_lines, search_code.
std::vector<ToolDefinition> LineToolDefinitions();

// The calls of one run. Source: docs/collab/room-agent.md, "Line tools". Thread-compatible.
class LineTools {
 public:
  // `snapshot` must outlive it.
  explicit LineTools(LineSnapshot& snapshot, LineToolLimits limits = {});
  LineTools(const LineTools&) = delete;
  LineTools& operator=(const LineTools&) = delete;

  // `arguments`: 12.0 and "12" are 12, unknown ones are ignored, and anything else than an object
  // has none.
  ToolReply Call(std::string_view name, const nlohmann::json& arguments);

  uint32_t calls() const { return calls_; }  // those over the limit and failed ones count
  uint32_t edits() const { return edits_; }  // calls that changed the text

 private:
  ToolReply Dispatch(std::string_view name, const nlohmann::json& arguments);
  ToolReply GetLineRange(const nlohmann::json& arguments);
  ToolReply ReplaceLines(const nlohmann::json& arguments);
  ToolReply InsertAtLine(const nlohmann::json& arguments);
  ToolReply DeleteLines(const nlohmann::json& arguments);
  ToolReply SearchCode(const nlohmann::json& arguments);
  // Whether so much new text may still be given.
  absl::Status CheckContent(std::string_view name, std::string_view content) const;
  // `count_name`: of the number in the result.
  ToolReply Answer(const absl::StatusOr<std::optional<AppliedEdit>>& edit,
                   std::string_view count_name, uint32_t count, size_t content_bytes);

  std::string CheckContent(std::string_view content) const;
  ToolReply Edited(absl::StatusOr<std::optional<AppliedEdit>> edit, std::string_view count,
                   size_t content_bytes);

  LineSnapshot& snapshot_;
  const LineToolLimits limits_;
  uint32_t calls_ = 0;
  uint32_t edits_ = 0;
  size_t content_bytes_ = 0;
};

}  // namespace cursorwire::room_agent

#endif  // CURSORWIRE_SRC_COLLAB_ROOM_AGENT_LINE_TOOLS_H_
