#ifndef SPATE_PRIORITY_H
#define SPATE_PRIORITY_H

/* Priority parameters: RFC 9218, section 4. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPATE_URGENCY_DEFAULT 3

typedef struct spate_priority {
    bool known;       /* a signal came, whatever it said */
    uint8_t urgency;  /* 0 is the most urgent, 7 the least */
    bool incremental; /* parts of it are of use: it may share the connection with others of its urgency */
} spate_priority;

/*
 * Reads a field's value, a dictionary of structured fields (RFC 8941). What is unknown or out of range is ignored, as
 * section 4 has it; of a parameter that comes twice the last one counts. `priority` begins with what holds without it.
 */
void spate_priority_read(spate_priority *priority, const uint8_t *value, size_t length);

#endif
