#ifndef CURSORWIRE_TESTS_SUPPORT_FAKE_PROCESS_ENVIRONMENT_H_
#define CURSORWIRE_TESTS_SUPPORT_FAKE_PROCESS_ENVIRONMENT_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/machine/process_environment.h"

namespace cursorwire::test {

using Texts = std::map<std::string, std::string>;

// A machine with nothing but these.
using FolderNames = std::map<std::string, std::vector<std::string>>;
inline ProcessEnvironment FakeProcessEnvironment(Texts variables, Texts files = {},
                                                 Texts links = {}, FolderNames folders = {}) {
  const auto value_of = [](const Texts& texts, const std::string& name) {
    const auto found = texts.find(name);
    return found == texts.end() ? std::optional<std::string>() : found->second;
  };
  return {.variable = [=, texts = std::move(variables)](
                          const std::string& name) { return value_of(texts, name).value_or(""); },
          .file = [=, texts = std::move(files)](
                      const std::string& path) { return value_of(texts, path); },
          .link = [=, texts = std::move(links)](
                      const std::string& path) { return value_of(texts, path).value_or(""); },
          .folder =
              [folders = std::move(folders)](const std::string& path) {
                const auto found = folders.find(path);
                return found == folders.end() ? std::vector<std::string>() : found->second;
              }};
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_FAKE_PROCESS_ENVIRONMENT_H_
