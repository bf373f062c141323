/* Classifies characters and words of YAML, for metadata.c. */
#ifndef SPATE_METADATA_TEXT_H
#define SPATE_METADATA_TEXT_H

#include "shared/status.h"

/* A part of the text, not NUL-terminated. */
typedef struct spate_span {
    const char *at;
    size_t length;
} spate_span;

/*
 * Whether the text is UTF-8 without line breaks (except LF), byte order marks and control characters. YAML interprets
 * these, and RubyGems never writes them.
 */
bool spate_metadata_ordinary(const char *text, size_t length);
/* Whether some version of YAML does not read this word as a string. */
bool spate_metadata_special(spate_span word);
bool spate_span_is(spate_span span, const char *word);
bool spate_span_starts(spate_span span, const char *word);
bool spate_span_holds(spate_span span, const char *word);

#endif
