#include "state/sql_database.h"

#include <endian.h>
#include <libpq-fe.h>
#include <poll.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "api/concat.h"

namespace cursor_gateway {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Of the catalog pg_type: they are part of PostgreSQL's protocol, and never change.
constexpr Oid kByteaType = 17;
constexpr Oid kInt8Type = 20;
constexpr int kText = 0;
constexpr int kBinary = 1;

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

// Numbers come over the wire with their highest byte first.
int64_t FromWire(std::string_view bytes) {
  uint64_t number = 0;
  bytes.copy(reinterpret_cast<char*>(&number), sizeof(number));
  return static_cast<int64_t>(be64toh(number));
}

std::string FirstLine(const char* text) {
  const std::string_view all = text == nullptr ? "" : text;
  return std::string(all.substr(0, all.find('\n')));
}

class PostgresDatabase final : public SqlDatabase {
 public:
  PostgresDatabase(std::string url, const std::string& now)
      : url_(std::move(url)),
        dialect_{
            .number = "BIGINT",
            .bytes = "BYTEA",
            .begin = "BEGIN",
            // Any number that all gateways have; it names this lock alone.
            .lock_setup = "SELECT 1 FROM (SELECT pg_advisory_xact_lock(7238941650417)) AS setup",
            .now = now,
            .claims_now = now} {}

  absl::StatusOr<bool> Connect() override;
  absl::StatusOr<std::vector<SqlRow>> Run(const std::string& statement,
                                          const std::vector<SqlValue>& values) override;
  const SqlDialect& dialect() const override { return dialect_; }

 private:
  bool IsStillThere();
  absl::Status Dial();
  absl::Status SetUp();
  absl::Status Send(const std::string& statement, const std::vector<SqlValue>& values);
  absl::StatusOr<Result> Receive(Clock::time_point deadline);
  absl::Status Wait(int events, Clock::time_point deadline);
  absl::Status Lost(std::string_view why);
  absl::Status Lost() { return Lost(FirstLine(PQerrorMessage(connection_.get()))); }

  const std::string url_;
  const SqlDialect dialect_;
  std::unique_ptr<PGconn, CloseConnection> connection_;
};

// The server may have closed it while it was idle.
bool PostgresDatabase::IsStillThere() {
  if (connection_ == nullptr) return false;
  pollfd socket{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
  if (::poll(&socket, 1, 0) > 0) PQconsumeInput(connection_.get());
  return PQstatus(connection_.get()) == CONNECTION_OK;
}

absl::StatusOr<bool> PostgresDatabase::Connect() {
  if (IsStillThere()) return false;
  absl::Status status = Dial();
  if (status.ok()) status = SetUp();
  if (!status.ok()) return status;
  return true;
}

absl::Status PostgresDatabase::Lost(std::string_view why) {
  connection_.reset();
  return absl::UnavailableError(Concat("the state in PostgreSQL: ", why));
}

absl::Status PostgresDatabase::Wait(int events, Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
  pollfd socket{.fd = PQsocket(connection_.get()),
                .events = static_cast<short>(events),  // NOLINT(google-runtime-int): of poll()
                .revents = 0};
  const int ready = left.count() > 0 ? ::poll(&socket, 1, static_cast<int>(left.count())) : 0;
  if (ready == 0) return Lost("no answer within two seconds");
  if (ready < 0 && errno != EINTR) return Lost("the connection cannot be watched");
  return absl::OkStatus();
}

absl::Status PostgresDatabase::Dial() {
  const Clock::time_point deadline = Clock::now() + kPostgresTimeout;
  connection_.reset(PQconnectStart(url_.c_str()));
  if (connection_ == nullptr) return Lost("no memory for a connection");
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (PQstatus(connection_.get()) != CONNECTION_BAD) {
    if (next == PGRES_POLLING_OK) {
      PQsetnonblocking(connection_.get(), 1);
      return absl::OkStatus();
    }
    if (next == PGRES_POLLING_FAILED) break;
    absl::Status status = Wait(next == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline);
    if (!status.ok()) return status;
    next = PQconnectPoll(connection_.get());
  }
  return Lost();
}

// A replica that stops in the middle of a transaction must not hold the others up.
absl::Status PostgresDatabase::SetUp() {
  for (const char* setting :
       {"SET statement_timeout = 2000", "SET idle_in_transaction_session_timeout = 10000"}) {
    if (const auto rows = Run(setting, {}); !rows.ok()) return rows.status();
  }
  return absl::OkStatus();
}

absl::Status PostgresDatabase::Send(const std::string& statement,
                                    const std::vector<SqlValue>& values) {
  std::vector<std::string> numbers;
  numbers.reserve(values.size());  // pointers into it stay valid
  std::vector<Oid> types;
  std::vector<const char*> data;
  std::vector<int> sizes;
  std::vector<int> formats;
  for (const SqlValue& value : values) {
    const auto* number = std::get_if<int64_t>(&value);
    const std::string& bytes = number != nullptr ? numbers.emplace_back(std::to_string(*number))
                                                 : std::get<std::string>(value);
    types.push_back(number != nullptr ? kInt8Type : kByteaType);
    formats.push_back(number != nullptr ? kText : kBinary);
    data.push_back(bytes.c_str());
    sizes.push_back(static_cast<int>(bytes.size()));
  }
  if (PQsendQueryParams(connection_.get(), statement.c_str(), static_cast<int>(values.size()),
                        types.data(), data.data(), sizes.data(), formats.data(), kBinary) != 1) {
    return Lost();
  }
  return absl::OkStatus();
}

absl::StatusOr<Result> PostgresDatabase::Receive(Clock::time_point deadline) {
  Result last;
  for (;;) {
    const int unsent = PQflush(connection_.get());
    if (unsent < 0) return Lost();
    if (unsent > 0 || PQisBusy(connection_.get()) == 1) {
      absl::Status status = Wait(unsent > 0 ? POLLIN | POLLOUT : POLLIN, deadline);
      if (!status.ok()) return status;
      if (PQconsumeInput(connection_.get()) != 1) return Lost();
      continue;
    }
    Result next(PQgetResult(connection_.get()));
    if (next == nullptr) return last;
    last = std::move(next);
  }
}

absl::StatusOr<std::vector<SqlRow>> PostgresDatabase::Run(const std::string& statement,
                                                          const std::vector<SqlValue>& values) {
  if (connection_ == nullptr) return absl::UnavailableError("the state is closed");
  if (absl::Status status = Send(statement, values); !status.ok()) return status;
  absl::StatusOr<Result> received = Receive(Clock::now() + kPostgresTimeout);
  if (!received.ok()) return received.status();
  const PGresult* result = received->get();
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    // The primary message alone: the others may repeat values.
    std::string why = FirstLine(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    if (PQstatus(connection_.get()) != CONNECTION_OK) return Lost(why);
    return absl::UnavailableError(Concat("the state in PostgreSQL: ", why));
  }
  std::vector<SqlRow> rows;
  for (int i = 0; i < PQntuples(result); ++i) {
    SqlRow row;
    for (int column = 0; column < PQnfields(result); ++column) {
      const std::string_view bytes(PQgetvalue(result, i, column),
                                   static_cast<size_t>(PQgetlength(result, i, column)));
      if (PQftype(result, column) == kInt8Type) {
        row.emplace_back(FromWire(bytes));
      } else {
        row.emplace_back(std::string(bytes));
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SqlDatabase>> MakePostgresDatabase(const std::string& url,
                                                                  const std::string& now) {
  char* error = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(
      PQconninfoParse(url.c_str(), &error));
  PQfreemem(error);  // it may repeat a password
  if (options == nullptr) {
    return absl::FailedPreconditionError("this is no URL of a PostgreSQL database");
  }
  return std::make_unique<PostgresDatabase>(url, now);
}

}  // namespace cursor_gateway
