#include "documents/played_turn.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "support/json_schema.h"
#include "support/source_folder.h"

namespace cursorwire::documents {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

class CountedIds final : public IdSource {
 public:
  std::string Uuid() override {
    return "00000000-0000-4000-8000-00000000000" + std::to_string(++n_);
  }

 private:
  int n_ = 0;
};

const test::JsonSchema& Schema() {
  static const test::JsonSchema& schema = *new test::JsonSchema([] {
    std::ifstream file(test::SourceFolder() + "/docs/chat-response.schema.json");
    return json::parse(file);
  }());
  return schema;
}

// Of larger turns the response is looked at only when it is complete.
constexpr size_t kFewEvents = 100;

void CheckResponse(const ChatResponse& response) {
  const std::string text = ToJson(response);
  EXPECT_EQ(Schema().Check(json::parse(text)), "") << text;
}

const std::string& IdOf(const DocumentEvent& event) {
  static const std::string& none = *new std::string;
  return std::visit(
      [](const auto& what) -> const std::string& {
        if constexpr (requires { what.document_id; }) return what.document_id;
        return none;
      },
      event);
}

}  // namespace

BuilderOptions PlayedTurn::ForTest(BuilderOptions options,
                                   const std::shared_ptr<milliseconds>& time) {
  options.created = std::chrono::system_clock::time_point(milliseconds(1'790'000'000'007));
  options.clock = [time] { return std::chrono::steady_clock::time_point(*time); };
  options.ids = std::make_shared<CountedIds>();
  if (options.model.empty()) options.model = "composer-2";
  return options;
}

PlayedTurn::PlayedTurn(BuilderOptions options)
    : time_(std::make_shared<milliseconds>(1000)), builder_(ForTest(std::move(options), time_)) {}

PlayedTurn& PlayedTurn::Add(const ChatEvent& event) {
  Take(builder_.Add(event));
  return *this;
}

PlayedTurn& PlayedTurn::Query(const QueryArgs& query) {
  Take(builder_.AddQuery(query));
  return *this;
}

PlayedTurn& PlayedTurn::Wait(milliseconds time) {
  *time_ += time;
  return *this;
}

const ChatResponse& PlayedTurn::End(const absl::Status& status) {
  if (status.ok()) Add(TurnEnded{});
  Take(builder_.Finish(status));
  response_ = builder_.response();
  CheckAll();
  return response_;
}

void PlayedTurn::Take(std::vector<DocumentEvent> events) {
  for (DocumentEvent& event : events) {
    EXPECT_EQ(Schema().Check(json::parse(ToJson(event)), "event"), "") << ToJson(event);
    const absl::Status applied = rebuilt_.Apply(event);
    EXPECT_TRUE(applied.ok()) << applied << "\n" << ToJson(event);
    events_.push_back(std::move(event));
  }
  if (events_.size() < kFewEvents) CheckResponse(builder_.response());
}

void PlayedTurn::CheckAll() const {
  ASSERT_FALSE(events_.empty());
  EXPECT_TRUE(std::holds_alternative<Done>(events_.back()));
  CheckResponse(response_);
  EXPECT_EQ(ToJson(rebuilt_.response()), ToJson(response_));
  EXPECT_EQ(rebuilt_.response(), response_);
  const char* file = std::getenv("CURSORWIRE_DOCUMENTS_OUT");
  if (file == nullptr) return;
  json turn = {{"response", json::parse(ToJson(response_))}, {"events", json::array()}};
  for (const DocumentEvent& event : events_) turn["events"].push_back(json::parse(ToJson(event)));
  std::ofstream(file, std::ios::app) << turn.dump() << "\n";
}

std::vector<std::string> PlayedTurn::event_names() const {
  std::vector<std::string> names;
  for (const DocumentEvent& event : events_) {
    std::string name(EventName(event));
    if (!IdOf(event).empty()) name += " " + std::to_string(std::atoi(IdOf(event).c_str() + 4));
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> PlayedTurn::documents() const {
  std::vector<std::string> lines;
  for (const Document& document : response_.documents) {
    std::string line(TypeName(document.metadata));
    if (document.content) line += "|" + *document.content;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace cursorwire::documents
