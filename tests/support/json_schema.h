#ifndef CURSORWIRE_TESTS_SUPPORT_JSON_SCHEMA_H_
#define CURSORWIRE_TESTS_SUPPORT_JSON_SCHEMA_H_

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace cursorwire::test {

// Checks JSON values against a JSON Schema (draft 2020-12) that uses only the keywords below;
// others are errors, so that a schema never seems to hold because it was not understood. That of
// documents is also tried with a validator of another project: tests/interop/documents.
class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json schema) : root_(std::move(schema)) {}

  // "" if `value` is valid; else where it is not, and why. `definition` is a name below "$defs"; ""
  // is the schema itself.
  std::string Check(const nlohmann::json& value, const std::string& definition = "") const;

 private:
  std::string CheckOne(const nlohmann::json& schema, const nlohmann::json& value,
                       const std::string& place) const;
  std::string CheckKeyword(const std::string& keyword, const nlohmann::json& argument,
                           const nlohmann::json& schema, const nlohmann::json& value,
                           const std::string& place) const;
  std::string CheckMembers(const nlohmann::json& properties, const nlohmann::json& value,
                           const std::string& place) const;
  std::string CheckChoices(const nlohmann::json& choices, bool only_one,
                           const nlohmann::json& value, const std::string& place) const;

  const nlohmann::json root_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_JSON_SCHEMA_H_
