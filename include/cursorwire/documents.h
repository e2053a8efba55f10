// Room: src/documents
#ifndef CURSORWIRE_DOCUMENTS_H_
#define CURSORWIRE_DOCUMENTS_H_

// An answer as documents: all of it. docs/documents.md is the guide.

#include "cursorwire/documents/builder.h"         // IWYU pragma: export
#include "cursorwire/documents/document.h"        // IWYU pragma: export
#include "cursorwire/documents/document_event.h"  // IWYU pragma: export
#include "cursorwire/documents/event_format.h"    // IWYU pragma: export
#include "cursorwire/documents/response.h"        // IWYU pragma: export

#endif  // CURSORWIRE_DOCUMENTS_H_
