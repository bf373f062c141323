#ifndef SPATE_PRIORITY_H
#define SPATE_PRIORITY_H

/* Priority parameters: RFC 9218, section 4. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPATE_URGENCY_DEFAULT 3

typedef struct spate_priority {
    bool known;       /* a priority was received, even if it was invalid */
    uint8_t urgency;  /* 0 (most urgent) to 7 */
    bool incremental; /* the client can process parts: interleave the response with others of the same urgency */
} spate_priority;

/*
 * Parses the value of a priority field, a dictionary of structured fields (RFC 8941), into `priority`. Unknown and
 * invalid parameters are ignored (section 4); the last of repeated parameters counts. Sets the defaults first, unless
 * `priority` is known.
 */
void spate_priority_read(spate_priority *priority, const uint8_t *value, size_t length);

#endif
