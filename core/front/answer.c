#include "front/answer.h"

#include "base/descriptor.h"
#include "front/in_place_record.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048

/* Writes with SIGPIPE ignored, as Ruby does: a closed pipe is an error then. */
static bool print(int descriptor, const char *text, size_t length) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    if (sigaction(SIGPIPE, &ignore, &before) != 0)
        return false;
    bool written = spate_write_all(descriptor, text, length);
    return sigaction(SIGPIPE, &before, NULL) == 0 && written;
}

/* Whether the text needs no escapes in JSON. */
static bool plain(const char *text) {
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
            return false;
    return true;
}

static bool fits(int length, size_t capacity) {
    return length > 0 && (size_t)length < capacity;
}

bool spate_answer_version(const spate_launcher *launcher, const char *version, bool json) {
    char line[LINE_MAX_BYTES];
    if (!plain(version) || !plain(launcher->ruby_version) || !plain(launcher->platform) || !plain(launcher->backend))
        return false;
    int length = json ? snprintf(line, sizeof(line),
                                 "{\"event\":\"version\",\"spate\":\"%s\",\"ruby\":\"%s\",\"platform\":\"%s\","
                                 "\"backend\":\"%s\"}\n",
                                 version, launcher->ruby_version, launcher->platform, launcher->backend)
                      : snprintf(line, sizeof(line), "spate %s (%s, ruby %s, %s)\n", version, launcher->backend,
                                 launcher->ruby_version, launcher->platform);
    return fits(length, sizeof(line)) && print(STDOUT_FILENO, line, (size_t)length);
}

size_t spate_format_seconds(char *text, size_t capacity, int64_t nanoseconds) {
    double seconds = (double)nanoseconds / 1e9;
    int length = seconds < 1     ? snprintf(text, capacity, "%.2f s", seconds)
                 : seconds < 100 ? snprintf(text, capacity, "%.1f s", seconds)
                                 : snprintf(text, capacity, "%" PRId64 ":%02" PRId64 " min", (int64_t)seconds / 60,
                                            (int64_t)seconds % 60);
    return fits(length, capacity) ? (size_t)length : 0;
}

/* Formats like Ruby's Float#to_s, with up to three decimals. Returns the length, or 0 if it does not fit. */
static size_t format_float(char *text, size_t capacity, int64_t nanoseconds) {
    int length = snprintf(text, capacity, "%.3f", (double)nanoseconds / 1e9);
    if (!fits(length, capacity))
        return 0;
    while (length > 1 && text[length - 1] == '0' && text[length - 2] != '.')
        text[--length] = '\0';
    return (size_t)length;
}

static size_t format_memory(char *text, size_t capacity) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    int length = snprintf(text, capacity, "%ld", usage.ru_maxrss << 10);
    return fits(length, capacity) ? (size_t)length : 0;
}

/* Formats the value that the placeholder `byte` represents. Returns the length, or 0 if it does not fit. */
static size_t format_fact(char *text, size_t capacity, char byte, int64_t nanoseconds) {
    switch (byte) {
    case SPATE_OUTPUT_SECONDS: return spate_format_seconds(text, capacity, nanoseconds);
    case SPATE_OUTPUT_FLOAT: return format_float(text, capacity, nanoseconds);
    case SPATE_OUTPUT_MEMORY: return format_memory(text, capacity);
    default: return 0;
    }
}

bool spate_answer_recorded(const struct spate_front_answer *answer, int64_t nanoseconds) {
    static char text[SPATE_OUTPUT_MAX];
    size_t used = 0;
    for (const char *byte = answer->output; *byte; byte++) {
        if (used + 1 >= sizeof(text))
            return false;
        if ((unsigned char)*byte >= ' ' || *byte == '\n') {
            text[used++] = *byte;
            continue;
        }
        size_t length = format_fact(text + used, sizeof(text) - used, *byte, nanoseconds);
        if (length == 0)
            return false;
        used += length;
    }
    return print(answer->stream, text, used);
}
