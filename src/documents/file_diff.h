#ifndef CURSORWIRE_SRC_DOCUMENTS_FILE_DIFF_H_
#define CURSORWIRE_SRC_DOCUMENTS_FILE_DIFF_H_

#include <string_view>

#include "cursorwire/documents/document.h"

namespace cursorwire::documents {

// The lines by which two versions of a file differ: from the first that differs to the last.
FileDiff DiffOf(std::string_view before, std::string_view after);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_FILE_DIFF_H_
