#include "front/answer.h"

#include "base/descriptor.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048

/* Ruby ignores SIGPIPE and gets an error. */
static bool print(int descriptor, const char *text, size_t length) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    if (sigaction(SIGPIPE, &ignore, &before) != 0)
        return false;
    bool written = spate_write_all(descriptor, text, length);
    return sigaction(SIGPIPE, &before, NULL) == 0 && written;
}

/* Whether JSON shows the text as it is. */
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

size_t spate_format_gems(char *text, size_t capacity, uint32_t gems) {
    char digits[16];
    int count = snprintf(digits, sizeof(digits), "%" PRIu32, gems);
    const char *noun = gems == 1 ? " gem" : " gems";
    size_t used = 0;
    if (!fits(count, sizeof(digits)) || (size_t)count + (size_t)(count - 1) / 3 + strlen(noun) >= capacity)
        return 0;
    for (int at = 0; at < count; at++) {
        if (at > 0 && (count - at) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[at];
    }
    memcpy(text + used, noun, strlen(noun) + 1);
    return used + strlen(noun);
}

size_t spate_format_seconds(char *text, size_t capacity, int64_t nanoseconds) {
    double seconds = (double)nanoseconds / 1e9;
    int length = seconds < 1     ? snprintf(text, capacity, "%.2f s", seconds)
                 : seconds < 100 ? snprintf(text, capacity, "%.1f s", seconds)
                                 : snprintf(text, capacity, "%" PRId64 ":%02" PRId64 " min", (int64_t)seconds / 60,
                                            (int64_t)seconds % 60);
    return fits(length, capacity) ? (size_t)length : 0;
}

/* As Float#to_s of a number with three decimals. */
static bool format_float(char *text, size_t capacity, int64_t nanoseconds) {
    int length = snprintf(text, capacity, "%.3f", (double)nanoseconds / 1e9);
    if (!fits(length, capacity))
        return false;
    while (length > 1 && text[length - 1] == '0' && text[length - 2] != '.')
        text[--length] = '\0';
    return true;
}

static bool print_events(const struct spate_front_answer *answer, int64_t nanoseconds) {
    char text[LINE_MAX_BYTES], seconds[32];
    struct rusage usage;
    if (!format_float(seconds, sizeof(seconds), nanoseconds) || getrusage(RUSAGE_SELF, &usage) != 0)
        return false;
    int length = snprintf(
        text, sizeof(text),
        "{\"event\":\"plan\",\"total\":%" PRIu32 ",\"in_place\":%" PRIu32 ",\"fetch\":0}\n"
        "{\"event\":\"done\",\"total\":%" PRIu32 ",\"fetched\":0,\"fetched_bytes\":0,\"from_store\":0,\"from_team\":0,"
        "\"team_bytes\":0,\"builds_from_team\":0,\"from_vendor\":0,\"from_git\":0,\"in_folders\":0,\"built\":0,"
        "\"builds_reused\":0,\"builds_bound\":[],\"reused\":%" PRIu32 ",\"seconds\":%s,\"peak_memory\":%ld,"
        "\"removed\":[],\"copied\":0,\"relinked\":0,\"lockfile_written\":false,\"edits\":[],\"warnings\":[],"
        "\"noop\":true}\n",
        answer->gems, answer->gems, answer->gems, answer->gems, seconds, usage.ru_maxrss << 10);
    return fits(length, sizeof(text)) && print(STDOUT_FILENO, text, (size_t)length);
}

bool spate_answer_install(const struct spate_front_answer *answer, const spate_arguments *read, int64_t nanoseconds) {
    char gems[32], seconds[32], line[128];
    if (read->json)
        return answer->in_folders == 0 && print_events(answer, nanoseconds);
    if (read->quiet)
        return true;
    if (!spate_format_gems(gems, sizeof(gems), answer->gems) ||
        !spate_format_seconds(seconds, sizeof(seconds), nanoseconds))
        return false;
    int length = snprintf(line, sizeof(line), "%s in place, nothing to do (%s)\n", gems, seconds);
    return fits(length, sizeof(line)) && print(STDERR_FILENO, line, (size_t)length);
}

bool spate_answer_check(const struct spate_front_answer *answer, const spate_arguments *read) {
    char gems[32], line[256];
    int length;
    if (read->json) {
        length = snprintf(line, sizeof(line),
                          "{\"event\":\"checked\",\"ok\":true,\"total\":%" PRIu32 ",\"missing\":[],\"edited\":0,"
                          "\"editing\":0,\"difference\":null,\"distrusted\":[]}\n",
                          answer->gems);
        return fits(length, sizeof(line)) && print(STDOUT_FILENO, line, (size_t)length);
    }
    if (read->quiet)
        return true;
    if (!spate_format_gems(gems, sizeof(gems), answer->gems))
        return false;
    length = snprintf(line, sizeof(line), "the bundle is complete: %s\n", gems);
    return fits(length, sizeof(line)) && print(STDERR_FILENO, line, (size_t)length);
}
