/* The meaning of single characters and words in YAML, for metadata.c. */
#ifndef SPATE_METADATA_TEXT_H
#define SPATE_METADATA_TEXT_H

#include "shared/status.h"

/* A part of the text. */
typedef struct spate_span {
    const char *at;
    size_t length;
} spate_span;

/*
 * Whether the text is UTF-8 without the line breaks, marks and control characters that YAML interprets and RubyGems
 * never writes.
 */
bool spate_metadata_ordinary(const char *text, size_t length);
/* Words that are not strings in some version of YAML. */
bool spate_metadata_special(spate_span word);
bool spate_span_is(spate_span span, const char *word);
bool spate_span_starts(spate_span span, const char *word);
bool spate_span_holds(spate_span span, const char *word);

#endif
