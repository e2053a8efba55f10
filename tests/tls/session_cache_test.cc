#include "tls/session_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

// How many sessions for the host are kept. They are kept again after.
size_t Kept(const TlsContext& client) {
  SessionCache& cache = *SessionCache::Of(ClientContext::From(client).get());
  std::vector<KeptSession> sessions;
  for (KeptSession kept = cache.Take(kApiHost); kept.session != nullptr;
       kept = cache.Take(kApiHost)) {
    sessions.push_back(std::move(kept));
  }
  const size_t count = sessions.size();
  for (; !sessions.empty(); sessions.pop_back()) cache.Add(kApiHost, std::move(sessions.back()));
  return count;
}

// Else a server would never have to show a certificate again.
TEST_F(SessionCacheTest, ResumesNoLongerThanItsFirstSession) {
  const auto client = ClientOf(identities_);
  EXPECT_FALSE(Resumes(*client, server_));
  SessionCache& cache = *SessionCache::Of(ClientContext::From(*client).get());
  KeptSession first = cache.Take(kApiHost);
  while (cache.Take(kApiHost).session != nullptr) {
  }
  const system_clock::time_point end = system_clock::now() + std::chrono::seconds(100);
  EXPECT_GT(first.end, end);
  first.end = end;
  cache.Add(kApiHost, std::move(first));
  EXPECT_TRUE(Resumes(*client, server_));
  KeptSession next = cache.Take(kApiHost);
  ASSERT_NE(next.session, nullptr);
  EXPECT_EQ(next.end, end);
  EXPECT_EQ(cache.Take(kApiHost).session, nullptr);
  next.end = system_clock::now();
  cache.Add(kApiHost, std::move(next));
  EXPECT_FALSE(Resumes(*client, server_));
}

TEST_F(SessionCacheTest, KeepsFewSessionsOfAConnection) {
  const auto context = ClientOf(identities_);
  RawServer server(identities_.server);
  server.ChooseAlpn("\2h2");
  SSL_CTX_set_num_tickets(server.context(), 20);
  const auto client = Engine::Connect(ClientContext::From(*context), kApiHost);
  EXPECT_THAT(server.Join(**client), IsOk());
  EXPECT_TRUE((*client)->handshake_done());
  EXPECT_EQ(Kept(*context), SessionCache::kMaxSessionsOfConnection);
}

TEST_F(SessionCacheTest, PutsASessionBackThatNobodyHasSeen) {
  const auto context = ClientOf(identities_);
  EXPECT_FALSE(Resumes(*context, server_));
  const size_t before = Kept(*context);
  ASSERT_GT(before, 1U);
  {
    const auto client = Engine::Connect(ClientContext::From(*context), kApiHost);
    EXPECT_EQ(Kept(*context), before - 1);
    EXPECT_FALSE((*client)->PendingOutput().empty());
  }
  EXPECT_EQ(Kept(*context), before);
  {
    const auto client = Engine::Connect(ClientContext::From(*context), kApiHost);
    (*client)->ConsumeOutput(1);
  }
  EXPECT_EQ(Kept(*context), before - 1);
  EXPECT_TRUE(Resumes(*context, server_));
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
  EXPECT_EQ(cache.Take("a").session, nullptr);
  SSL_SESSION* last = nullptr;
  for (size_t i = 0; i < SessionCache::kMaxSessions + 3; ++i) {
    OpenSslPtr<SSL_SESSION> session(SSL_SESSION_new());
    last = session.get();
    cache.Add(i == 0 ? "a" : "b",
              {.session = std::move(session), .end = system_clock::now() + hours(1)});
  }
  EXPECT_EQ(cache.Take("a").session, nullptr);  // the oldest
  EXPECT_EQ(cache.Take("b").session.get(), last);
  for (size_t i = 1; i < SessionCache::kMaxSessions; ++i)
    EXPECT_NE(cache.Take("b").session, nullptr);
  EXPECT_EQ(cache.Take("b").session, nullptr);
}

}  // namespace
}  // namespace cursorwire::tls
