/* Encodes a client's request and decodes the replies: see warm/protocol.h. */
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

/* Returns the encoded request, which the caller frees; NULL if it is too long or out of memory. */
uint8_t *spate_warm_encode(const spate_warm_command *command, size_t *length);

typedef struct spate_warm_reply {
    spate_warm_reply_kind kind;
    int value;
} spate_warm_reply;

/* Returns false for an unknown kind, an invalid signal, or a process ID below 2, which kill() would not treat as a
 * process. */
bool spate_warm_decode(const uint8_t bytes[SPATE_WARM_REPLY_BYTES], spate_warm_reply *reply);

#endif
