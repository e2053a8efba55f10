#ifndef CURSORWIRE_SRC_DOCUMENTS_FILE_LANGUAGE_H_
#define CURSORWIRE_SRC_DOCUMENTS_FILE_LANGUAGE_H_

#include <string>
#include <string_view>

namespace cursorwire::documents {

// The language of a file by its name, in the words that fences are tagged with ("cpp", "python");
// "" if the name tells none. `path` may have slashes of both kinds.
std::string LanguageOfFile(std::string_view path);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_FILE_LANGUAGE_H_
