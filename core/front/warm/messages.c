#include "front/warm/messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Space for the magic, four numbers, the numbers of the descriptors, and their NULs. */
#define FIXED_MAX (128 + 12 * SPATE_WARM_DESCRIPTORS)
#define SIGNAL_MAX 64

/* ---- the request ---- */

static size_t count(char *const *texts) {
    size_t found = 0;
    while (texts[found])
        found++;
    return found;
}

/* Cannot overflow, because the kernel limits argv and the environment. */
static size_t length_of(char *const *texts) {
    size_t length = 0;
    for (; *texts; texts++)
        length += strlen(*texts) + 1;
    return length;
}

static char *add_number(char *to, uint64_t number) {
    return to + sprintf(to, "%" PRIu64, number) + 1;
}

static char *add_descriptors(char *to, const int *descriptors, size_t number) {
    for (size_t at = 0; at < number; at++)
        to += sprintf(to, "%d,", descriptors[at]);
    *to = '\0';
    return to + 1;
}

static char *add_texts(char *to, char *const *texts) {
    to = add_number(to, count(texts));
    for (; *texts; texts++) {
        size_t bytes = strlen(*texts) + 1;
        memcpy(to, *texts, bytes);
        to += bytes;
    }
    return to;
}

uint8_t *spate_warm_encode(const spate_warm_command *command, size_t *length) {
    if (command->other_count > SPATE_WARM_DESCRIPTORS - SPATE_WARM_STANDARD)
        return NULL;
    size_t bytes = sizeof(uint32_t) + FIXED_MAX + length_of(command->words) + length_of(command->environment);
    if (bytes > SPATE_WARM_REQUEST_MAX)
        return NULL;
    uint8_t *made = malloc(bytes);
    if (!made)
        return NULL;
    char *start = (char *)made + sizeof(uint32_t);
    memcpy(start, SPATE_WARM_MAGIC, sizeof(SPATE_WARM_MAGIC));
    char *end = start + sizeof(SPATE_WARM_MAGIC);
    end = add_number(end, command->ignored);
    end = add_number(end, command->blocked);
    end = add_descriptors(end, command->others, command->other_count);
    end = add_texts(end, command->words);
    end = add_texts(end, command->environment);
    size_t rest = (size_t)(end - start);
    for (size_t at = 0; at < sizeof(uint32_t); at++)
        made[at] = (uint8_t)(rest >> 8 * at);
    *length = sizeof(uint32_t) + rest;
    return made;
}

/* ---- replies ---- */

static uint32_t read_number(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

bool spate_warm_decode(const uint8_t bytes[SPATE_WARM_REPLY_BYTES], spate_warm_reply *reply) {
    uint32_t kind = read_number(bytes);
    uint32_t value = read_number(bytes + 4);
    if (kind < SPATE_WARM_STARTED || kind > SPATE_WARM_STOPPED || value > INT32_MAX)
        return false;
    *reply = (spate_warm_reply){.kind = (spate_warm_reply_kind)kind, .value = (int)value};
    switch (reply->kind) {
    case SPATE_WARM_STARTED: return value > 1;
    case SPATE_WARM_EXITED: return value <= UINT8_MAX;
    case SPATE_WARM_SIGNALED:
    case SPATE_WARM_STOPPED: return value >= 1 && value <= SIGNAL_MAX;
    case SPATE_WARM_REFUSED: return true;
    }
    return false;
}
