#ifndef CURSORWIRE_SRC_COLLAB_TEXT_NEW_DOCUMENT_ID_H_
#define CURSORWIRE_SRC_COLLAB_TEXT_NEW_DOCUMENT_ID_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "collab/repo/document_id.h"
#include "cursorwire/collab/text_session.h"

namespace cursorwire::collab {

// Of the actor that a program is in a document, as Automerge makes them.
inline constexpr size_t kActorBytes = 16;

// A UUID of version 4, as automerge-repo makes them (RFC 9562).
inline DocumentId NewDocumentId(const RandomBytes& random) {
  DocumentId::Bytes bytes{};
  const std::string random_bytes = random(bytes.size());
  std::copy_n(random_bytes.begin(), bytes.size(), bytes.begin());
  bytes[6] = static_cast<uint8_t>(0x40 | (bytes[6] & 0x0F));
  bytes[8] = static_cast<uint8_t>(0x80 | (bytes[8] & 0x3F));
  return DocumentId(bytes);
}

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_TEXT_NEW_DOCUMENT_ID_H_
