#include "mcp/resource_handler.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "mcp/page_cursor.h"
#include "mcp/plain_text.h"
#include "mcp/resource_reader.h"

namespace cursorwire::mcp {
namespace {

using connect::TimePoint;
using Server = ResourceHandler::Server;

constexpr size_t kMaxShownServerBytes = 100;
// The threads of all turns wait here: servers that do not answer must not hold them for long.
constexpr std::chrono::seconds kListTime{30};
constexpr std::chrono::seconds kReadTime{60};

absl::Status Refused(std::string_view why) {
  return LocalError(absl::StatusCode::kPermissionDenied, why);
}

absl::Status ListServer(const Server& server, const std::stop_token& stop, TimePoint deadline,
                        std::vector<McpResource>& resources) {
  PageCursor cursor;
  size_t left_out = 0;
  do {
    const auto ask = [page = cursor.next()](Session& session, TimePoint now) {
      return session.ListResources(page, now);
    };
    const absl::StatusOr<jsonrpc::Json> page = server.loop->Wait(ask, stop, deadline);
    if (!page.ok()) return page.status();
    const absl::StatusOr<size_t> skipped = AddResources(*page, server.provider, resources);
    if (!skipped.ok()) return Annotate(skipped.status(), server.name);
    left_out += *skipped;
    const std::string end = cursor.Read(*page);
    if (!end.empty()) server.loop->AddNotice(absl::StrCat("its list of resources ", end));
  } while (cursor.next() && resources.size() < kMaxResources);
  if (left_out > 0) {
    server.loop->AddNotice(absl::StrCat(left_out, " resources are left out: at most ",
                                        kMaxResources, ", with URIs that can be shown"));
  }
  return absl::OkStatus();
}

}  // namespace

ResourceHandler::ResourceHandler(std::vector<Server> servers, std::shared_ptr<const void> owner,
                                 CallPolicy policy)
    : servers_(std::move(servers)), owner_(std::move(owner)), policy_(std::move(policy)) {}

absl::StatusOr<const Server*> ResourceHandler::Find(const std::string& name) const {
  for (const Server& server : servers_) {
    if (server.provider == name) return &server;
  }
  for (const Server& server : servers_) {
    if (server.name == name) return &server;
  }
  std::vector<std::string> known;
  for (const Server& server : servers_) known.push_back(server.provider);
  return Refused(absl::StrCat("no server '", PlainLine(name, kMaxShownServerBytes),
                              "' has resources; those that have: ", absl::StrJoin(known, ", ")));
}

absl::StatusOr<ListMcpResourcesOutput> ResourceHandler::ListMcpResources(
    const ListMcpResourcesArgs& args, const ActionContext& context) {
  std::vector<const Server*> asked;
  if (args.server.empty()) {
    for (const Server& server : servers_) asked.push_back(&server);
  } else {
    const absl::StatusOr<const Server*> server = Find(args.server);
    if (!server.ok()) return server.status();
    asked.push_back(*server);
  }
  ListMcpResourcesOutput output;
  absl::Status failure;
  const TimePoint deadline = std::chrono::steady_clock::now() + kListTime;
  for (const Server* server : asked) {
    const absl::Status listed = ListServer(*server, context.stop, deadline, output.resources);
    if (!listed.ok())
      server->loop->AddNotice(absl::StrCat("its list of resources: ", listed.message()));
    failure.Update(listed);
  }
  if (!output.resources.empty()) return output;
  return failure.ok() ? Refused("there are no resources at this time") : failure;
}

absl::StatusOr<ReadMcpResourceOutput> ResourceHandler::ReadMcpResource(
    const ReadMcpResourceArgs& args, const ActionContext& context) {
  const absl::StatusOr<const Server*> server = Find(args.server);
  if (!server.ok()) return server.status();
  if (!IsResourceUri(args.uri)) return InvalidArgument("this is no URI of a resource");
  if (policy_) {
    const absl::Status allowed =
        policy_({.server = (*server)->name, .provider = (*server)->provider, .resource = args.uri},
                context);
    if (!allowed.ok()) return Refused(ToStd(allowed.message()));
  }
  // It may be asked for later than this waits.
  const auto ask = [uri = args.uri](Session& session, TimePoint now) {
    return session.ReadResource(uri, now);
  };
  const absl::StatusOr<jsonrpc::Json> result =
      (*server)->loop->Wait(ask, context.stop, std::chrono::steady_clock::now() + kReadTime);
  if (!result.ok()) return result.status();
  absl::StatusOr<ReadMcpResourceOutput> output = ReadContents(*result);
  if (!output.ok()) return Annotate(output.status(), (*server)->name);
  return output;
}

}  // namespace cursorwire::mcp
