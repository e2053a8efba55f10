#include "tls/session_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cursorwire/connect/tls_options.h"
#include "support/status_matchers.h"
#include "tls/engine.h"
#include "tls/engine_ends.h"

namespace cursorwire::tls {
namespace {

using test::StatusIs;

// A client context and a server context, and connections between them.
class SessionCacheTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const TlsContext> ClientOf(const Identities& identities,
                                                    bool resume_sessions = true) {
    return *TlsContext::Create({.ca_pem = identities.ca_pem, .resume_sessions = resume_sessions});
  }

  static Ends Connect(const TlsContext& client, const ServerContext& server,
                      const std::string& host = kApiHost) {
    Ends ends{.client = *Engine::Connect(ClientContext::From(client), host),
              .server = *Engine::Accept(server)};
    ends.Join();
    return ends;
  }

  static bool Resumes(const TlsContext& client, const ServerContext& server,
                      const std::string& host = kApiHost) {
    const Ends ends = Connect(client, server, host);
    EXPECT_THAT(ends.client_status, IsOk());
    EXPECT_THAT(ends.server_status, IsOk());
    EXPECT_TRUE(ends.client->handshake_done());
    EXPECT_EQ(ends.client->resumed(), ends.server->resumed());
    return ends.client->resumed();
  }

  const Identities identities_ = MakeIdentities("DNS:api.example.test,DNS:other.example.test");
  const ServerContext server_ = *ServerContext::Create(identities_.server);
};

TEST_F(SessionCacheTest, ResumesTheSessionsOfAHost) {
  const auto client = ClientOf(identities_);
  EXPECT_FALSE(Resumes(*client, server_));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Resumes(*client, server_));
  EXPECT_FALSE(Resumes(*client, server_, "other.example.test"));
  EXPECT_TRUE(Resumes(*client, server_, "other.example.test"));
}

TEST_F(SessionCacheTest, CarriesDataInAResumedSession) {
  const auto client = ClientOf(identities_);
  EXPECT_FALSE(Resumes(*client, server_));
  Ends ends = Connect(*client, server_);
  EXPECT_TRUE(ends.client->resumed());
  ASSERT_THAT(ends.client->Write("question"), IsOk());
  ASSERT_THAT(ends.server->Write("answer"), IsOk());
  ends.Join();
  EXPECT_EQ(ends.server_plaintext, "question");
  EXPECT_EQ(ends.client_plaintext, "answer");
  EXPECT_EQ(ends.client->version(), "TLSv1.3");
}

TEST_F(SessionCacheTest, SharesNothingBetweenContexts) {
  EXPECT_FALSE(Resumes(*ClientOf(identities_), server_));
  EXPECT_FALSE(Resumes(*ClientOf(identities_), server_));
}

TEST_F(SessionCacheTest, ShakesHandsAnewWhereItIsToldTo) {
  const auto client = ClientOf(identities_, false);
  EXPECT_EQ(SessionCache::Of(ClientContext::From(*client).get()), nullptr);
  EXPECT_FALSE(Resumes(*client, server_));
  EXPECT_FALSE(Resumes(*client, server_));
}

TEST_F(SessionCacheTest, VerifiesAServerThatDoesNotKnowTheSession) {
  const auto client = ClientOf(identities_);
  EXPECT_FALSE(Resumes(*client, server_));
  // It was started again: other keys for tickets, the same certificate.
  EXPECT_FALSE(Resumes(*client, *ServerContext::Create(identities_.server)));
  // Another authority vouches for this one.
  const ServerContext stranger = *ServerContext::Create(MakeIdentities().server);
  const Ends ends = Connect(*client, stranger);
  EXPECT_THAT(ends.client_status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(ends.client->handshake_done());
}

TEST_F(SessionCacheTest, UsesNoSessionTwiceAndKeepsTheNewest) {
  SessionCache cache;
  EXPECT_EQ(cache.Take("a"), nullptr);
  SSL_SESSION* last = nullptr;
  for (size_t i = 0; i < SessionCache::kMaxSessions + 3; ++i) {
    OpenSslPtr<SSL_SESSION> session(SSL_SESSION_new());
    last = session.get();
    cache.Add(i == 0 ? "a" : "b", std::move(session));
  }
  EXPECT_EQ(cache.Take("a"), nullptr);  // the oldest
  EXPECT_EQ(cache.Take("b").get(), last);
  for (size_t i = 1; i < SessionCache::kMaxSessions; ++i) EXPECT_NE(cache.Take("b"), nullptr);
  EXPECT_EQ(cache.Take("b"), nullptr);
}

}  // namespace
}  // namespace cursorwire::tls
