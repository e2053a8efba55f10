#include "agent/exec/sandbox_policy.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

std::optional<RequestedSandbox> Read(const std::string& text) {
  pb::SandboxPolicy policy;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &policy)) << text;
  return ToRequestedSandbox(policy);
}

std::string InForce(const std::optional<SandboxPolicy>& sandbox) {
  pb::SandboxPolicy policy;
  FillPolicyInForce(sandbox, policy);
  return policy.ShortDebugString();
}

TEST(RequestedSandbox, IsNoneWithoutAType) {
  EXPECT_EQ(Read(""), std::nullopt);
  EXPECT_EQ(Read("network_access: true"), std::nullopt);
}

TEST(RequestedSandbox, HasWhatTheServiceNames) {
  const auto none = Read("type: TYPE_INSECURE_NONE");
  ASSERT_TRUE(none.has_value());
  EXPECT_TRUE(none->none);

  const auto write = Read(R"(type: TYPE_WORKSPACE_READWRITE network_access: true
      additional_readwrite_paths: "/a" additional_readwrite_paths: ".git")");
  ASSERT_TRUE(write.has_value());
  EXPECT_FALSE(write->none);
  EXPECT_EQ(write->policy, (SandboxPolicy{.network = true, .writable = {"/a", ".git"}}));

  const auto read = Read("type: TYPE_WORKSPACE_READONLY disable_tmp_write: true");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->policy, (SandboxPolicy{.workspace = WorkspaceAccess::kRead, .tmp_write = false}));
}

TEST(RequestedSandbox, AListOfHostsIsNoNetwork) {
  const auto wish = Read(R"(type: TYPE_WORKSPACE_READWRITE network_access: true
      network_policy { default_action: DEFAULT_ACTION_DENY allow: "github.com" })");
  ASSERT_TRUE(wish.has_value());
  EXPECT_FALSE(wish->policy.network);
}

TEST(PolicyInForce, IsAlwaysTold) {
  EXPECT_EQ(InForce(std::nullopt), "type: TYPE_INSECURE_NONE");
  EXPECT_EQ(InForce(SandboxPolicy{}), "type: TYPE_WORKSPACE_READWRITE network_access: false");
  EXPECT_EQ(InForce(SandboxPolicy{.workspace = WorkspaceAccess::kRead,
                                  .network = true,
                                  .git_write = true,
                                  .tmp_write = false,
                                  .writable = {"/a"}}),
            "type: TYPE_WORKSPACE_READONLY network_access: true "
            "additional_readwrite_paths: \"/a\" additional_readwrite_paths: \".git\" "
            "disable_tmp_write: true");
}

}  // namespace
}  // namespace cursorwire::agent
