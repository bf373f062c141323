/* The bytes of a client's request, and of the replies to it: see warm/protocol.h. */
#ifndef SPATE_FRONT_WARM_MESSAGES_H
#define SPATE_FRONT_WARM_MESSAGES_H

#include "warm/protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct spate_warm_command {
    uint64_t ignored;
    uint64_t blocked;
    const int *others; /* descriptors */
    size_t other_count;
    char *const *words;
    char *const *environment;
} spate_warm_command;

/* Returns the bytes, which the caller frees; NULL if they are too long, or if memory is short. */
uint8_t *spate_warm_encode(const spate_warm_command *command, size_t *length);

typedef struct spate_warm_reply {
    spate_warm_reply_kind kind;
    int value;
} spate_warm_reply;

/* false for an unknown kind, a process ID under 2, which kill() would take for a group, and an invalid signal. */
bool spate_warm_decode(const uint8_t bytes[SPATE_WARM_REPLY_BYTES], spate_warm_reply *reply);

#endif
