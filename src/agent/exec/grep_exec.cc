#include "agent/exec/exec_kinds.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

// What a search returns, by the value of `output_mode`; an unknown value is kContent. Without a
// pattern it returns the files whose names match. Guess: the values are those that ripgrep's users
// know, since the sources do not list them.
GrepMode ModeOf(const pb::GrepArgs& args) {
  if (args.pattern().empty() || args.output_mode() == "files_with_matches") return GrepMode::kFiles;
  if (args.output_mode() == "count") return GrepMode::kCount;
  return GrepMode::kContent;
}

const char* GrepModeName(GrepMode mode) {
  switch (mode) {
    case GrepMode::kContent:
      return "content";
    case GrepMode::kFiles:
      return "files_with_matches";
    case GrepMode::kCount:
      return "count";
  }
  return "content";
}

GrepArgs ToGrep(const pb::GrepArgs& args) {
  GrepArgs grep{
      .pattern = args.pattern(),
      .path = args.path(),
      .glob = args.glob(),
      .type = args.type(),
      .mode = ModeOf(args),
      .context_before = args.has_context_before() ? args.context_before() : args.context(),
      .context_after = args.has_context_after() ? args.context_after() : args.context(),
      .case_insensitive = args.case_insensitive(),
      .multiline = args.multiline(),
      .sort = args.sort(),
      .sort_ascending = !args.has_sort_ascending() || args.sort_ascending()};
  if (args.has_offset()) grep.offset = args.offset();
  if (args.has_head_limit()) grep.head_limit = args.head_limit();
  return grep;
}

template <typename Result>
void FillRange(const GrepOutput& output, Result& result) {
  result.set_client_truncated(output.truncated);
  if (output.head_limit_applied) result.set_head_limit_applied(*output.head_limit_applied);
  if (output.offset_applied) result.set_offset_applied(*output.offset_applied);
}

void FillContent(const GrepOutput& output, pb::GrepContentResult& result) {
  int64_t lines = 0;
  for (const GrepFile& file : output.files) {
    pb::GrepFileMatch& match = *result.add_matches();
    match.set_file(ToUtf8(file.path));
    for (const GrepLine& line : file.lines) {
      pb::GrepContentMatch& found = *match.add_matches();
      found.set_line_number(ToCount(line.number));
      found.set_content(ToUtf8(line.text));
      found.set_content_truncated(line.truncated);
      found.set_is_context_line(line.is_context);
      ++lines;
    }
  }
  result.set_total_lines(ToCount(lines));
  result.set_total_matched_lines(ToCount(output.total_matches));
  FillRange(output, result);
}

void FillFiles(const GrepOutput& output, pb::GrepFilesResult& result) {
  for (const GrepFile& file : output.files) result.add_files(ToUtf8(file.path));
  result.set_total_files(ToCount(output.total_files));
  FillRange(output, result);
}

void FillCounts(const GrepOutput& output, pb::GrepCountResult& result) {
  for (const GrepFile& file : output.files) {
    pb::GrepFileCount& count = *result.add_counts();
    count.set_file(ToUtf8(file.path));
    count.set_count(ToCount(file.count));
  }
  result.set_total_files(ToCount(output.total_files));
  result.set_total_matches(ToCount(output.total_matches));
  FillRange(output, result);
}

void FillGrep(const pb::GrepArgs& args, const GrepOutput& output, pb::GrepResult& result) {
  const GrepMode mode = ModeOf(args);
  pb::GrepSuccess& success = *result.mutable_success();
  success.set_pattern(args.pattern());
  success.set_path(args.path());
  success.set_output_mode(GrepModeName(mode));
  pb::GrepUnionResult& found = (*success.mutable_workspace_results())[ToUtf8(output.root)];
  switch (mode) {
    case GrepMode::kContent:
      return FillContent(output, *found.mutable_content());
    case GrepMode::kFiles:
      return FillFiles(output, *found.mutable_files());
    case GrepMode::kCount:
      return FillCounts(output, *found.mutable_count());
  }
}

}  // namespace

const ExecKind kGrepExec =
    MakeExecKind<GrepOutput, &pb::ExecServerMessage::grep_args,
                 &pb::ExecClientMessage::mutable_grep_result, ToGrep, FillGrep,
                 (FailWithError<pb::GrepArgs, pb::GrepResult>)>(pb::ExecServerMessage::kGrepArgs);

}  // namespace cursorwire::agent
