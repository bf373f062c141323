/* Detects malformed fields of requests and trailers: RFC 9113, sections 8.1 to 8.3. */
#ifndef SPATE_REQUEST_FIELDS_H
#define SPATE_REQUEST_FIELDS_H

#include "hpack_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Priority parameters: RFC 9218, section 4. */

#define SPATE_URGENCY_DEFAULT 3

typedef struct spate_priority {
    bool known;       /* a priority was received, even if it was invalid */
    uint8_t urgency;  /* 0 (most urgent) to 7 */
    bool incremental; /* the client can process parts: interleave the response with others of the same urgency */
} spate_priority;

/*
 * Parses the value of a priority field, a dictionary of structured fields (RFC 8941), into `priority`. Unknown and
 * invalid parameters are ignored (section 4); the last of repeated parameters applies. Sets the defaults first, unless
 * `priority` is known.
 */
void spate_priority_read(spate_priority *priority, const uint8_t *value, size_t length);

typedef enum spate_section { SPATE_REQUEST, SPATE_TRAILERS } spate_section;

/* State of the check. Initialize it with zeros at the start of a request. */
typedef struct spate_request_fields {
    spate_section section;
    unsigned seen; /* bit mask of pseudo-header fields */
    bool regular;  /* a regular field has been seen */
    bool connect;
    bool options;
    bool asterisk;   /* :path is "*" */
    bool has_length; /* content-length */
    uint64_t content_length;
    spate_priority priority; /* RFC 9218, section 5 */
    const char *reason;      /* the first error, in static memory, or NULL */
} spate_request_fields;

/* Checks one field. Sets `reason` unless an earlier field set it. */
void spate_request_fields_take(spate_request_fields *fields, const spate_hpack_field *field);

/* Checks the pseudo-header fields as a whole, for example that none is missing. Must be called after the last field. */
void spate_request_fields_end(spate_request_fields *fields);

#endif
