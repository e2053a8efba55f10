#include "client/turn/tool_answer_cache.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "agent/history/exec_text.h"
#include "base/error.h"

namespace cursorwire {
namespace {

constexpr size_t kMaxEntries = 1024;
constexpr size_t kMaxBytes = size_t{32} * 1024 * 1024;
constexpr size_t kMaxPiecesBytes = size_t{1024} * 1024;

size_t BytesOf(const LsFolder& folder) {
  size_t bytes = sizeof(folder) + folder.path.size();
  for (const std::string& file : folder.files) bytes += sizeof(std::string) + file.size();
  for (const LsFolder& inner : folder.folders) bytes += BytesOf(inner);
  return bytes;
}

// What an output holds in memory, as far as it may be large.
struct OutputBytes {
  size_t operator()(const ReadOutput& output) const { return output.content.size(); }
  size_t operator()(const LsOutput& output) const { return BytesOf(output.root); }
  size_t operator()(const GrepOutput& output) const {
    size_t bytes = 0;
    for (const GrepFile& file : output.files) {
      bytes += sizeof(file) + file.path.size();
      for (const GrepLine& line : file.lines) bytes += sizeof(line) + line.text.size();
    }
    return bytes;
  }
  size_t operator()(const WriteOutput& output) const {
    return output.content_after ? output.content_after->size() : 0;
  }
  size_t operator()(const DeleteOutput& output) const { return output.previous_content.size(); }
  size_t operator()(const ShellOutput& output) const {
    return output.out.size() + output.err.size();
  }
  size_t operator()(const FetchOutput& output) const { return output.content.size(); }
  size_t operator()(const DiagnosticsOutput& output) const {
    size_t bytes = 0;
    for (const Diagnostic& diagnostic : output.diagnostics) {
      bytes += sizeof(diagnostic) + diagnostic.message.size();
    }
    return bytes;
  }
  size_t operator()(const ListMcpResourcesOutput& output) const {
    size_t bytes = 0;
    for (const McpResource& resource : output.resources) {
      bytes += sizeof(resource) + resource.uri.size() + resource.description.size();
    }
    return bytes;
  }
  size_t operator()(const ReadMcpResourceOutput& output) const { return output.content.size(); }
  size_t operator()(const ToolResult& result) const {
    size_t bytes = 0;
    for (const ToolResult::Item& item : result.content) {
      const auto* text = std::get_if<std::string>(&item);
      bytes += sizeof(item) + (text ? text->size() : std::get<ToolImage>(item).bytes.size());
    }
    return bytes;
  }
  size_t operator()(const auto&) const { return 0; }
};

size_t BytesOf(const ToolAnswerCache::Answer& answer) {
  const size_t output = answer.output.ok() ? std::visit(OutputBytes(), *answer.output) : 0;
  return answer.out.size() + answer.err.size() + output;
}

}  // namespace

void ToolAnswerCache::AddPiece(std::string_view out, std::string_view err, Answer& answer) {
  if (answer.out.size() + answer.err.size() + out.size() + err.size() > kMaxPiecesBytes) {
    answer.is_cut = true;
  } else {
    answer.out += out;
    answer.err += err;
  }
}

HistoryToolCall ToolAnswerCache::KeyOf(const ExecRequest& request) {
  return agent::ToHistory(request.args, request.call_id);
}

void ToolAnswerCache::Add(int attempt, HistoryToolCall key, Answer answer) {
  if (key.call_id.empty() || key.call_id.size() > kMaxBytes - bytes_) return;
  const size_t bytes = BytesOf(answer) + key.call_id.size();
  if (answer.is_cut || bytes > kMaxBytes - bytes_) {
    answer = {.output = LocalError(absl::StatusCode::kOutOfRange,
                                   "this was done before the connection was lost; its result was "
                                   "too large to be kept")};
  } else {
    bytes_ += bytes;
  }
  if (entries_.size() >= kMaxEntries) {
    const Entry& oldest = entries_.front();
    bytes_ -= std::min(bytes_, BytesOf(oldest.answer) + oldest.key.call_id.size());
    entries_.erase(entries_.begin());
  }
  entries_.push_back({attempt, std::move(key), std::move(answer)});
}

std::optional<ToolAnswerCache::Answer> ToolAnswerCache::Take(int attempt,
                                                             const HistoryToolCall& key) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.attempt < attempt && entry.key == key;
  });
  if (found == entries_.end()) return std::nullopt;
  Answer answer = std::move(found->answer);
  bytes_ -= std::min(bytes_, BytesOf(answer) + key.call_id.size());
  entries_.erase(found);
  return answer;
}

}  // namespace cursorwire
