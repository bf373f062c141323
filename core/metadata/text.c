#define _GNU_SOURCE
#include "metadata/text.h"

#include <string.h>
#include <strings.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)
#define ONES UINT64_C(0x0101010101010101)

/* Whether all eight bytes are in the range from " " to "~". */
static bool plain_eight(const char *at) {
    uint64_t eight;
    memcpy(&eight, at, sizeof(eight));
    uint64_t low = (eight - ONES * 0x20) | eight;     /* high bit of a byte is set if it is below " " or not ASCII */
    uint64_t delete = (eight ^ (ONES * 0x7f)) - ONES; /* high bit of a byte is set if it is DEL; may be wrong if a byte
                                                       * is not ASCII */
    return ((low | delete) & HIGH_BITS) == 0;
}

/* Returns the length of the non-ASCII character at `at`, or 0 if it is invalid or not accepted. */
static size_t wide(const uint8_t *at, size_t left) {
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000}; /* characters below U+00A0 are control characters */
    if (at[0] < 0xc2 || at[0] > 0xf4 || left < length)
        return 0;
    uint32_t code = at[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    bool strange = code == 0x2028 || code == 0x2029 || (code >= 0xd800 && code <= 0xdfff) || code == 0xfeff ||
                   code == 0xfffe || code == 0xffff || code > 0x10ffff;
    return code < least[length] || strange ? 0 : length;
}

bool spate_metadata_ordinary(const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        if (length - i >= 8 && plain_eight(text + i)) {
            i += 8;
            continue;
        }
        uint8_t byte = (uint8_t)text[i];
        size_t taken = byte == '\n' || (byte >= 0x20 && byte < 0x7f) ? 1
                       : byte < 0x80                                 ? 0
                                                                     : wide((const uint8_t *)text + i, length - i);
        if (taken == 0)
            return false;
        i += taken;
    }
    return true;
}

bool spate_metadata_special(spate_span word) {
    static const char *const words[] = {"~",   "null", "true", "false", "yes", "no",      "on",
                                        "off", "y",    "n",    "nan",   "inf", "infinity"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strlen(words[i]) == word.length && strncasecmp(words[i], word.at, word.length) == 0)
            return true;
    return false;
}

bool spate_span_is(spate_span span, const char *word) {
    return strlen(word) == span.length && memcmp(span.at, word, span.length) == 0;
}

bool spate_span_starts(spate_span span, const char *word) {
    size_t length = strlen(word);
    return length <= span.length && memcmp(span.at, word, length) == 0;
}

bool spate_span_holds(spate_span span, const char *word) {
    return memmem(span.at, span.length, word, strlen(word)) != NULL;
}
