#ifndef SPATE_REQUEST_FIELDS_H
#define SPATE_REQUEST_FIELDS_H

/* What makes a request's or a trailer's fields malformed: RFC 9113, sections 8.1 to 8.3. */
#include "hpack_table.h"
#include "priority.h"

typedef enum spate_section { SPATE_REQUEST, SPATE_TRAILERS } spate_section;

/* Fed one field after another. All zero is the beginning of a request. */
typedef struct spate_request_fields {
    spate_section section;
    unsigned seen; /* pseudo-header fields, a bit each */
    bool regular;  /* a field that is none was met */
    bool connect;
    bool options;
    bool asterisk;          /* :path is "*" */
    bool has_length;        /* content-length */
    uint64_t content_length;
    spate_priority priority; /* RFC 9218, section 5 */
    const char *reason; /* the first that was wrong, or NULL */
} spate_request_fields;

/* Looks at one more field; the first fault stays in `reason`. */
void spate_request_fields_take(spate_request_fields *fields, const spate_hpack_field *field);

/* After the last one. */
void spate_request_fields_end(spate_request_fields *fields);

#endif
