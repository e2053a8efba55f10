#include "workspace/edit/file_read.h"

#include <absl/status/status.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "workspace/edit/file_state.h"
#include "workspace/fs/allow_look.h"
#include "workspace/fs/file_entry.h"
#include "workspace/fs/file_version.h"
#include "workspace/fs/text_file.h"
#include "workspace/fs/work_limit.h"
#include "workspace/search/line_reader.h"

namespace cursorwire::workspace {
namespace {

// Lines, counted from 1.
struct Range {
  int64_t first = 1;
  int64_t count = std::numeric_limits<int64_t>::max();
};

absl::Status Stopped() { return LocalError(absl::StatusCode::kCancelled, "stopped"); }

// Appends as much as fits. False if the line was cut.
bool AppendBounded(const LineReader::Line& line, size_t max_bytes, std::string& content) {
  const size_t room = max_bytes - content.size();
  const bool all = !line.cut && line.bytes.size() <= room;
  content += line.bytes.substr(0, room);
  return all;
}

// Reads one open file for one action.
class FileRead {
 public:
  FileRead(const OpenFile& file, const WorkLimit& limit, size_t max_bytes)
      : file_(file), limit_(limit), max_bytes_(max_bytes) {}

  // Number of lines in the file. Rewinds the file to its start.
  absl::StatusOr<int64_t> CountLines() {
    LineReader reader(file_, limit_, max_bytes_);
    const absl::StatusOr<int64_t> lines = reader.CountRest();
    if (!lines.ok()) return lines.status();
    if (limit_.stopped()) return Stopped();
    if (reader.interrupted()) {
      return LocalError(absl::StatusCode::kDeadlineExceeded,
                        "the file is too large to count its lines from the end; ask for lines "
                        "from the start");
    }
    if (absl::Status rewound = file_.Rewind(); !rewound.ok()) return rewound;
    return *lines;
  }

  absl::Status Read(const Range& range, ReadOutput& output) {
    LineReader reader(file_, limit_, max_bytes_);
    int64_t lines = 0;
    bool wants_more = true;
    while (wants_more) {
      const absl::StatusOr<std::optional<LineReader::Line>> line = reader.Next();
      if (!line.ok()) return line.status();
      if (!line->has_value()) break;
      ++lines;
      if (lines < range.first) continue;
      output.truncated = !AppendBounded(**line, max_bytes_, output.content);
      wants_more = !output.truncated && lines - range.first < range.count - 1;
    }
    if (wants_more && reader.interrupted()) output.truncated = true;
    output.total_lines = lines;
    // Nobody needs the number of lines of bytes that are no text, which may take long to count.
    if (output.truncated && output.content.find('\0') != std::string::npos) {
      return absl::OkStatus();
    }
    const absl::StatusOr<int64_t> rest = reader.CountRest();
    if (!rest.ok()) return rest.status();
    output.total_lines = lines + *rest;
    return absl::OkStatus();
  }

 private:
  const OpenFile& file_;
  const WorkLimit& limit_;
  const size_t max_bytes_;
};

// A limit of 0 lines means no limit.
absl::StatusOr<Range> RangeOf(const ReadArgs& args, FileRead& file) {
  Range range;
  if (args.limit.value_or(0) != 0) range.count = *args.limit;
  const int64_t offset = args.offset.value_or(0);
  if (offset > 0) range.first = offset;
  if (offset < 0) {
    const absl::StatusOr<int64_t> lines = file.CountLines();
    if (!lines.ok()) return lines.status();
    range.first = std::max<int64_t>(1, *lines + 1 + offset);
  }
  return range;
}

// If the text was cut within a character, removes the rest of that character.
void MarkText(ReadOutput& output) {
  output.is_text = IsText(output.content);
  if (output.is_text || !output.truncated) return;
  for (size_t cut = 1; cut <= 3 && cut <= output.content.size(); ++cut) {
    const std::string_view shorter =
        std::string_view(output.content).substr(0, output.content.size() - cut);
    if (!IsText(shorter)) continue;
    output.content.resize(shorter.size());
    output.is_text = true;
    return;
  }
}

absl::StatusOr<OpenFile> OpenBelow(const Workspace& workspace, const std::string& path) {
  const absl::StatusOr<std::string> place = workspace.Locate(path);
  if (!place.ok()) return place.status();
  return workspace.OpenRegularFile(*place);
}

// The agent is told that the file does not exist. A path that leads nowhere can become no file.
void RememberMissing(const EditHost& host, const std::string& path) {
  const absl::StatusOr<FileEntry> entry = FindEntry(host.workspace, path, LastLink::kFollow);
  if (entry.ok()) host.known.Tell(entry->path, {});
}

absl::Status Remember(const EditHost& host, const OpenFile& file, const WorkLimit& limit) {
  const absl::StatusOr<FileState> state = StateOf(file, host.options.max_write_bytes, limit);
  if (!state.ok()) return state.status();
  // Without /proc no path can be told, and nothing can be written.
  const absl::StatusOr<std::string> path = PathOf(file);
  if (path.ok()) host.known.Tell(*path, *state);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ReadOutput> ReadFile(const EditHost& host, const OutputFolder& outputs,
                                    const ReadArgs& args, const ActionContext& context) {
  const LocalExecOptions& options = host.options;
  const bool is_output = outputs.Holds(args.path);
  const absl::StatusOr<OpenFile> file =
      is_output ? outputs.Open(args.path) : OpenBelow(host.workspace, args.path);
  if (absl::IsNotFound(file.status())) RememberMissing(host, args.path);
  if (!file.ok()) return file.status();
  if (absl::Status allowed = AllowReading(options.look_policy, *file, context); !allowed.ok()) {
    return allowed;
  }
  const absl::StatusOr<FileFacts> facts = file->Facts();
  if (!facts.ok()) return facts.status();

  const WorkLimit limit(context.stop, options.timeout);
  // Before the file is read: what is told may then be newer than what is remembered, never older.
  if (!is_output) {
    if (absl::Status status = Remember(host, *file, limit); !status.ok()) return status;
  }
  const absl::StatusOr<std::optional<OpenFile>> utf16 = OpenUtf16(*file, options.max_write_bytes);
  if (!utf16.ok()) return utf16.status();
  FileRead read(utf16->has_value() ? **utf16 : *file, limit, options.max_read_bytes);
  const absl::StatusOr<Range> range = RangeOf(args, read);
  if (!range.ok()) return range.status();
  ReadOutput output;
  output.path = args.path;
  output.file_bytes = facts->bytes;
  output.range_applied = args.offset.has_value() || args.limit.has_value();
  if (absl::Status status = read.Read(*range, output); !status.ok()) return status;
  MarkText(output);
  if (limit.stopped()) return Stopped();
  return output;
}

}  // namespace cursorwire::workspace
