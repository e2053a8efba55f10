#include "workspace/search/grep.h"

#include <absl/status/status.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "pattern/pattern.h"
#include "workspace/fs/allow_look.h"
#include "workspace/fs/text_file.h"
#include "workspace/fs/work_limit.h"
#include "workspace/search/file_filter.h"
#include "workspace/search/file_list.h"
#include "workspace/search/line_collector.h"
#include "workspace/search/line_search.h"

namespace cursorwire::workspace {
namespace {

absl::StatusOr<FileOrder> OrderOf(const GrepArgs& args) {
  if (args.sort.empty() || args.sort == "path" || args.sort == "none") {
    return args.sort_ascending ? FileOrder::kPath : FileOrder::kPathBackwards;
  }
  if (args.sort == "modified") {
    return args.sort_ascending ? FileOrder::kOldestFirst : FileOrder::kNewestFirst;
  }
  return InvalidArgument(R"(files are sorted by "path" or by "modified", by nothing else)");
}

// A number of 0 or less means that no number was given.
std::optional<int32_t> Positive(std::optional<int32_t> number) {
  return number.value_or(0) > 0 ? number : std::nullopt;
}

// What is searched for.
struct Query {
  GrepMode mode = GrepMode::kContent;
  bool multiline = false;
  std::optional<Pattern> pattern{};  // nullopt: only names are searched
  FileFilter filter;
  FileOrder order = FileOrder::kPath;
  LineCollector::Options lines{};
};

absl::StatusOr<Query> QueryOf(const GrepArgs& args, const LocalExecOptions& options) {
  if (args.pattern.empty() && args.glob.empty() && args.type.empty()) {
    return InvalidArgument("there is no pattern and no glob; give one of them");
  }
  absl::StatusOr<FileFilter> filter = FileFilter::Make(args.glob, args.type);
  if (!filter.ok()) return filter.status();
  const absl::StatusOr<FileOrder> order = OrderOf(args);
  if (!order.ok()) return order.status();
  const auto context = [&](int32_t lines) {
    return std::min(static_cast<size_t>(std::max(lines, 0)), options.max_grep_lines);
  };
  Query query{.mode = args.mode,
              .multiline = args.multiline,
              .filter = *std::move(filter),
              .order = *order,
              .lines = {.before = context(args.context_before),
                        .after = context(args.context_after),
                        .max_line_bytes = options.max_line_bytes}};
  if (args.mode != GrepMode::kContent) query.lines.before = query.lines.after = 0;
  if (args.pattern.empty()) return query;
  absl::StatusOr<Pattern> pattern = Pattern::Compile(
      args.pattern, {.case_insensitive = args.case_insensitive, .multiline = args.multiline});
  if (!pattern.ok()) return pattern.status();
  query.pattern = *std::move(pattern);
  return query;
}

// One search, file by file.
class FileSearch {
 public:
  FileSearch(const Workspace& workspace, const Query& query, const WorkLimit& limit,
             ResultPage page, size_t max_lines)
      : workspace_(workspace), query_(query), limit_(limit), page_(page), lines_left_(max_lines) {}

  // Searches the file at `place`. The answer calls it `name`.
  absl::Status Visit(const std::string& place, std::string_view name, LastLink link) {
    if (!query_.pattern) {
      Record({.path = ToUtf8(name)});
      return absl::OkStatus();
    }
    const absl::StatusOr<OpenFile> file = workspace_.OpenRegularFile(place, link);
    if (!file.ok()) return file.status();
    // In the other modes a whole file counts as one result.
    ResultPage no_lines(0, 0);
    const bool content = query_.mode == GrepMode::kContent;
    LineCollector lines(query_.lines, content ? page_ : no_lines, lines_left_);
    absl::StatusOr<SearchEnd> end = Search(*file, lines);
    if (end.ok() && *end == SearchEnd::kBinary) end = SearchUtf16(*file, lines);
    if (!end.ok()) return end.status();
    if (*end == SearchEnd::kIncomplete || lines.truncated()) output_.truncated = true;
    GrepFile found = lines.TakeFile();
    found.path = ToUtf8(name);
    if (found.count > 0) Record(std::move(found));
    return absl::OkStatus();
  }

  void MarkIncomplete() { output_.truncated = true; }
  GrepOutput TakeOutput() { return std::move(output_); }

 private:
  absl::StatusOr<SearchEnd> Search(const OpenFile& file, LineCollector& lines) const {
    return query_.multiline ? SearchText(file, *query_.pattern, limit_, lines)
                            : SearchLines(file, *query_.pattern, limit_, lines);
  }

  // A file with zero bytes may be text in UTF-16.
  absl::StatusOr<SearchEnd> SearchUtf16(const OpenFile& file, LineCollector& lines) const {
    if (absl::Status rewound = file.Rewind(); !rewound.ok()) return rewound;
    const absl::StatusOr<std::optional<OpenFile>> text = OpenUtf16(file, kMaxSearchedTextBytes);
    if (!text.ok()) return text.status();
    return text->has_value() ? Search(**text, lines) : SearchEnd::kBinary;
  }

  void Record(GrepFile file) {
    ++output_.total_files;
    output_.total_matches += file.count;
    if (query_.pattern && query_.mode == GrepMode::kContent) {
      if (!file.lines.empty()) output_.files.push_back(std::move(file));
      return;
    }
    if (!page_.Take()) return;
    if (lines_left_ == 0) {
      output_.truncated = true;
      return;
    }
    --lines_left_;
    output_.files.push_back(std::move(file));
  }

  const Workspace& workspace_;
  const Query& query_;
  const WorkLimit& limit_;
  ResultPage page_;
  size_t lines_left_;  // a file that is listed without lines counts as one line
  GrepOutput output_;
};

// The folder that contains the file `place`, and the file's name.
std::pair<std::string, std::string> SplitName(const std::string& place) {
  const size_t slash = place.rfind('/');
  if (slash == place.npos) return {"", place};
  return {place.substr(0, slash), place.substr(slash + 1)};
}

}  // namespace

absl::StatusOr<GrepOutput> SearchFiles(const Workspace& workspace, const LocalExecOptions& options,
                                       const GrepArgs& args, const ActionContext& context) {
  const absl::StatusOr<Query> query = QueryOf(args, options);
  if (!query.ok()) return query.status();
  const absl::StatusOr<std::string> place = workspace.Locate(args.path);
  if (!place.ok()) return place.status();
  const auto searching = [&args](std::string path) {
    return SearchAction{
        .path = std::move(path), .pattern = ToUtf8(args.pattern), .glob = ToUtf8(args.glob)};
  };
  const absl::StatusOr<Look> look =
      AllowLook(workspace, options.look_policy, *place, searching, context);
  if (!look.ok()) return look.status();
  const absl::StatusOr<FileKind> kind = look->workspace.KindOf(look->place);
  if (!kind.ok()) return kind.status();
  const WorkLimit limit(context.stop, options.timeout);

  const std::optional<int32_t> offset = Positive(args.offset);
  const std::optional<int32_t> head_limit = Positive(args.head_limit);
  const ResultPage page(static_cast<size_t>(offset.value_or(0)),
                        head_limit ? std::optional<size_t>(*head_limit) : std::nullopt);
  FileSearch search(look->workspace, *query, limit, page, options.max_grep_lines);
  std::string root = look->place;
  if (*kind == FileKind::kFolder) {
    const size_t name_begins = root.empty() ? 0 : root.size() + 1;
    const absl::StatusOr<ListEnd> end = ListFiles(
        look->workspace, root, query->filter, query->order, limit, [&](const std::string& file) {
          // A file that cannot be read, or was removed meanwhile, is left out.
          search.Visit(file, std::string_view(file).substr(name_begins), LastLink::kRefuse)
              .IgnoreError();
        });
    if (!end.ok()) return end.status();
    if (*end == ListEnd::kIncomplete) search.MarkIncomplete();
  } else {
    const auto [folder, name] = SplitName(look->place);
    root = folder;
    if (absl::Status status = search.Visit(look->place, name, LastLink::kFollow); !status.ok()) {
      return status;
    }
  }
  if (limit.stopped()) return LocalError(absl::StatusCode::kCancelled, "stopped");

  GrepOutput output = search.TakeOutput();
  output.root = ToUtf8(workspace.AbsolutePath(root));
  output.offset_applied = offset;
  output.head_limit_applied = head_limit;
  return output;
}

}  // namespace cursorwire::workspace
