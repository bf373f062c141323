#include "shared/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Longer than spate_error.message, so vsnprintf only truncates text that would not fit anyway. */
#define FORMATTED_MAX 2048

/*
 * Returns the length of the UTF-8 character at `text`, or 0 if it must not be printed on a terminal: malformed or
 * overlong sequences, surrogates, C0 and C1 controls, DEL, and bidirectional controls, which reorder a line.
 */
static size_t printable_character(const unsigned char *text) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

    if (text[0] < 0x80)
        return text[0] >= 0x20 && text[0] != 0x7f ? 1 : 0;
    size_t length = (text[0] & 0xe0) == 0xc0 ? 2 : (text[0] & 0xf0) == 0xe0 ? 3 : (text[0] & 0xf8) == 0xf0 ? 4 : 0;
    if (length == 0)
        return 0;
    uint32_t code = text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) /* also stops at the final NUL */
            return 0;
        code = (code << 6) | (text[i] & 0x3fu);
    }
    bool malformed = code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
    bool control = code < 0xa0;
    bool reorders = code == 0x200e || code == 0x200f || code == 0x061c || (code >= 0x2028 && code <= 0x202e) ||
                    (code >= 0x2066 && code <= 0x2069);
    return malformed || control || reorders ? 0 : length;
}

/* Copies the text and escapes bytes that are unsafe on a terminal as \xNN. Never truncates within a character or an
 * escape. */
static void copy_escaped(char *out, size_t capacity, const char *text) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = (const unsigned char *)text;
    size_t at = 0;

    while (*from != '\0') {
        size_t length = printable_character(from);
        if (at + (length == 0 ? 4 : length) >= capacity)
            break;
        if (length == 0) {
            out[at++] = '\\';
            out[at++] = 'x';
            out[at++] = digits[*from >> 4];
            out[at++] = digits[*from & 15];
            from++;
        } else {
            memcpy(out + at, from, length);
            at += length;
            from += length;
        }
    }
    out[at] = '\0';
}

static void fill(spate_error *error, spate_status status, int system_errno, const char *member, const char *message) {
    error->status = status;
    error->system_errno = system_errno;
    copy_escaped(error->member, sizeof error->member, member == NULL ? "" : member);
    copy_escaped(error->message, sizeof error->message, message);
}

spate_status spate_fail(spate_error *error, spate_status status, const char *member, const char *format, ...) {
    if (error == NULL)
        return status;
    char message[FORMATTED_MAX];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(message, sizeof message, format, arguments) < 0)
        message[0] = '\0';
    va_end(arguments);
    fill(error, status, 0, member, message);
    return status;
}

spate_status spate_fail_errno(spate_error *error, const char *member, const char *call) {
    int number = errno;
    spate_status status = number == ENOMEM ? SPATE_NO_MEMORY : SPATE_SYSTEM;

    if (error == NULL)
        return status;
    char reason[128];
    /* strerror_r returns a string in glibc with _GNU_SOURCE, and an int in POSIX. */
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    const char *text = strerror_r(number, reason, sizeof reason);
#else
    const char *text = strerror_r(number, reason, sizeof reason) == 0 ? reason : "unknown error";
#endif
    char message[FORMATTED_MAX];
    if (snprintf(message, sizeof message, "%s: %s", call, text) < 0)
        message[0] = '\0';
    fill(error, status, number, member, message);
    return status;
}

spate_status spate_cancelled(const spate_cancel *cancel, spate_error *error) {
    return cancel && cancel->requested ? spate_fail(error, SPATE_CANCELLED, "", "cancelled") : SPATE_OK;
}

const char *spate_status_name(spate_status status) {
    switch (status) {
    case SPATE_OK: return "ok";
    case SPATE_NO_MEMORY: return "no_memory";
    case SPATE_SYSTEM: return "system";
    case SPATE_TRUNCATED: return "truncated";
    case SPATE_CORRUPT: return "corrupt";
    case SPATE_CHECKSUM: return "checksum";
    case SPATE_REFUSED: return "refused";
    case SPATE_LIMIT: return "limit";
    case SPATE_CANCELLED: return "cancelled";
    case SPATE_STALE: return "stale";
    }
    return "unknown";
}
