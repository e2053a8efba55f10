#include "cursorwire/exec_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "support/errors.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::HasOrigin;
using test::StatusIs;
using ::testing::HasSubstr;

class NothingAllowed final : public ExecHandler {};

TEST(ExecHandler, RefusesWhatIsNotOverriddenAndNamesIt) {
  const struct {
    const char* name;
    ExecArgs args;
  } kCases[] = {
      {"reading files", ReadArgs{}},
      {"listing folders", LsArgs{}},
      {"searching files", GrepArgs{}},
      {"writing files", WriteArgs{}},
      {"deleting files", DeleteArgs{}},
      {"running shell commands", ShellArgs{}},
      {"running shell commands in the background", BackgroundShellArgs{}},
      {"writing to a shell", WriteShellStdinArgs{}},
      {"fetching web pages", FetchArgs{}},
      {"reading diagnostics of files", DiagnosticsArgs{}},
      {"listing resources of MCP servers", ListMcpResourcesArgs{}},
      {"reading resources of MCP servers", ReadMcpResourceArgs{}},
  };
  // No handler serves the last kind, a ToolCall.
  static_assert(std::size(kCases) + 1 == std::variant_size_v<ExecArgs>);
  NothingAllowed handler;
  for (size_t i = 0; i < std::size(kCases); ++i) {
    const auto& c = kCases[i];
    SCOPED_TRACE(c.name);
    EXPECT_EQ(c.args.index(), i);  // none is missing
    const absl::StatusOr<ExecOutput> output = CallExecHandler(handler, c.args, {});
    EXPECT_THAT(output,
                StatusIs(absl::StatusCode::kPermissionDenied,
                         HasSubstr(std::string("This client does not allow ") + c.name + ".")));
    EXPECT_THAT(output, HasOrigin(connect::ErrorOrigin::kLocal));
  }
}

// Answers each kind with the output of that kind.
class Everything final : public ExecHandler {
 public:
  template <typename Output>
  using Result = absl::StatusOr<Output>;
  using Context = const ActionContext&;

  Result<ReadOutput> Read(const ReadArgs& args, Context context) override {
    stopped = context.stop.stop_requested();
    call_id = context.call_id;
    return ReadOutput{.path = args.path};
  }
  Result<LsOutput> Ls(const LsArgs&, Context) override { return LsOutput{}; }
  Result<GrepOutput> Grep(const GrepArgs&, Context) override { return GrepOutput{}; }
  Result<WriteOutput> Write(const WriteArgs&, Context) override { return WriteOutput{}; }
  Result<DeleteOutput> Delete(const DeleteArgs&, Context) override { return DeleteOutput{}; }
  Result<ShellOutput> Shell(const ShellArgs&, Context) override { return ShellOutput{}; }
  Result<BackgroundShellOutput> BackgroundShell(const BackgroundShellArgs&, Context) override {
    return BackgroundShellOutput{};
  }
  Result<WriteShellStdinOutput> WriteShellStdin(const WriteShellStdinArgs&, Context) override {
    return WriteShellStdinOutput{};
  }
  Result<FetchOutput> Fetch(const FetchArgs&, Context) override { return FetchOutput{}; }
  Result<DiagnosticsOutput> Diagnostics(const DiagnosticsArgs&, Context) override {
    return DiagnosticsOutput{};
  }
  Result<ListMcpResourcesOutput> ListMcpResources(const ListMcpResourcesArgs&, Context) override {
    return ListMcpResourcesOutput{};
  }
  Result<ReadMcpResourceOutput> ReadMcpResource(const ReadMcpResourceArgs&, Context) override {
    return ReadMcpResourceOutput{};
  }

  bool stopped = false;
  std::string call_id;
};

template <size_t... kIndex>
void ServeEach(ExecHandler& handler, std::index_sequence<kIndex...>) {
  const ExecArgs all[] = {ExecArgs(std::in_place_index<kIndex>)...};
  for (const ExecArgs& args : all) {
    SCOPED_TRACE(args.index());
    const absl::StatusOr<ExecOutput> output = CallExecHandler(handler, args, {});
    ASSERT_TRUE(output.ok()) << output.status();
    EXPECT_EQ(output->index(), args.index());
  }
}

TEST(CallExecHandler, AnswersEachKindWithItsOwnOutput) {
  Everything handler;
  ServeEach(handler, std::make_index_sequence<std::variant_size_v<ExecArgs> - 1>());
}

TEST(CallExecHandler, KnowsNoTools) {
  Everything handler;
  EXPECT_THAT(CallExecHandler(handler, ToolCall{.name = "t"}, {}),
              StatusIs(absl::StatusCode::kUnimplemented));
}

// Tells which of its functions ran the command.
class Shells final : public ExecHandler {
 public:
  absl::StatusOr<ShellOutput> Shell(const ShellArgs&, const ActionContext&) override {
    return ShellOutput{.out = "all"};
  }
  absl::StatusOr<ShellOutput> ShellStream(const ShellArgs&, ShellSink& sink,
                                          const ActionContext&) override {
    sink.Out("piece");
    return ShellOutput{.out = "rest"};
  }
};

class Pieces final : public ShellSink {
 public:
  void Out(std::string_view bytes) override { text += bytes; }
  void Err(std::string_view) override {}
  std::string text;
};

TEST(CallExecHandler, StreamsACommandWhereBothSidesDo) {
  const struct {
    const char* name;
    bool streamed;
    bool sink;
    const char* pieces;
    const char* out;
  } kCases[] = {
      {"both", true, true, "piece", "rest"},
      {"no sink", true, false, "", "all"},
      {"not streamed", false, true, "", "all"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Shells handler;
    Pieces pieces;
    const absl::StatusOr<ExecOutput> output =
        CallExecHandler(handler, ShellArgs{.streamed = c.streamed}, {}, c.sink ? &pieces : nullptr);
    ASSERT_TRUE(output.ok()) << output.status();
    EXPECT_EQ(std::get<ShellOutput>(*output).out, c.out);
    EXPECT_EQ(pieces.text, c.pieces);
  }
}

TEST(CallExecHandler, PassesArgumentsAndStopToken) {
  Everything handler;
  std::stop_source stop;
  stop.request_stop();
  const absl::StatusOr<ExecOutput> output = CallExecHandler(
      handler, ReadArgs{.path = "a.cc"}, {.call_id = "c1", .stop = stop.get_token()});
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(std::get<ReadOutput>(*output).path, "a.cc");
  EXPECT_TRUE(handler.stopped);
}

class Throwing final : public ExecHandler {
 public:
  explicit Throwing(std::function<void()> what) : what_(std::move(what)) {}

  absl::StatusOr<ReadOutput> Read(const ReadArgs&, const ActionContext&) override {
    what_();
    return ReadOutput{};
  }

 private:
  const std::function<void()> what_;
};

TEST(CallExecHandler, TurnsAnExceptionIntoAStatus) {
  Throwing standard([] { throw std::runtime_error("disk on fire"); });
  EXPECT_THAT(CallExecHandler(standard, ReadArgs{}, {}),
              StatusIs(absl::StatusCode::kUnknown, "the handler threw: disk on fire"));
  Throwing other([] { throw 7; });
  EXPECT_THAT(CallExecHandler(other, ReadArgs{}, {}),
              StatusIs(absl::StatusCode::kUnknown, HasSubstr("the handler threw")));
}

}  // namespace
}  // namespace cursorwire
