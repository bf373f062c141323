#define _GNU_SOURCE
#include "machine/processor.h"

#include "base/descriptor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#define INFO "/proc/cpuinfo"
/* Enough for 4,096 processors with 2 kB each, twice over. */
#define INFO_MAX ((size_t)16 << 20)
#define FIRST_BYTES ((size_t)64 << 10)

/* Names of the lines with family, model and features on x86, Arm, POWER, s390 and RISC-V. None of these values changes
 * at run time. */
static const char *const facts[] = {
    "vendor_id", "cpu",      "cpu family", "cpu implementer", "cpu architecture", "cpu variant", "cpu part", "model",
    "flags",     "features", "isa",        "uarch",
};

static bool is_fact(const char *line) {
    size_t length = strcspn(line, ":");
    if (line[length] != ':')
        return false;
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
        if (strlen(facts[i]) == length && strncasecmp(facts[i], line, length) == 0)
            return true;
    return false;
}

static int by_text(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Splits `text` in place. */
static spate_status sum(char *text, uint8_t out[SPATE_SHA256_LENGTH]) {
    size_t count = 0, lines = 1;
    char *rest = NULL;
    spate_sha256 hash;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    const char **kept = malloc(lines * sizeof(*kept));
    if (!kept)
        return SPATE_NO_MEMORY;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (is_fact(line))
            kept[count++] = line;
    qsort(kept, count, sizeof(*kept), by_text);
    spate_sha256_begin(&hash);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(kept[i - 1], kept[i]) != 0)
            spate_sha256_add(&hash, kept[i], strlen(kept[i]) + 1);
    spate_sha256_end(&hash, out);
    free(kept);
    return SPATE_OK;
}

/* The size of files in /proc is unknown until they are read. */
static spate_status read_text(int descriptor, char **text) {
    size_t capacity = FIRST_BYTES, used = 0;
    *text = NULL;
    for (;;) {
        char *grown = realloc(*text, capacity + 1);
        if (!grown)
            return SPATE_NO_MEMORY;
        *text = grown;
        int64_t got = spate_read_full(descriptor, *text + used, capacity - used);
        if (got < 0)
            return SPATE_SYSTEM;
        used += (size_t)got;
        (*text)[used] = '\0';
        if (used < capacity)
            return SPATE_OK;
        if (capacity >= INFO_MAX)
            return SPATE_SYSTEM;
        capacity *= 2;
    }
}

#ifdef __APPLE__
static spate_status by_name(uint8_t out[SPATE_SHA256_LENGTH]) {
    char name[256];
    size_t length = sizeof(name);
    if (sysctlbyname("machdep.cpu.brand_string", name, &length, NULL, 0) != 0)
        return SPATE_SYSTEM;
    spate_sha256_of(name, length, out);
    return SPATE_OK;
}
#endif

spate_status spate_processor(const char *path, uint8_t out[SPATE_SHA256_LENGTH]) {
    char *text;
#ifdef __APPLE__
    if (!path)
        return by_name(out);
#endif
    int descriptor = open(path ? path : INFO, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return SPATE_SYSTEM;
    spate_status status = read_text(descriptor, &text);
    close(descriptor);
    if (status == SPATE_OK)
        status = sum(text, out);
    free(text);
    return status;
}
