/*
 * The result of functions of the core: a status and, for messages, an error with details. The core never prints, exits
 * or calls Ruby, and all its global state is thread-safe.
 */
#ifndef SPATE_STATUS_H
#define SPATE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum spate_status {
    SPATE_OK = 0,
    SPATE_NO_MEMORY,  /* malloc failed */
    SPATE_SYSTEM,     /* a system call failed; see error.system_errno */
    SPATE_TRUNCATED,  /* the input is incomplete */
    SPATE_CORRUPT,    /* the input violates its format */
    SPATE_CHECKSUM,   /* a digest or CRC does not match; the message has the expected and actual value */
    SPATE_REFUSED,    /* unsafe input: path traversal, device, hard link out of the package, ... */
    SPATE_LIMIT,      /* a configurable limit was exceeded */
    SPATE_CANCELLED,  /* spate_cancel was set during the work */
    SPATE_STALE,      /* a file on disk is damaged or of a different version */
} spate_status;

/* Describes a failure. Contains no pointers. */
typedef struct spate_error {
    spate_status status;
    int system_errno;     /* errno of the failed call, or 0 */
    char member[512];     /* archive member or path concerned, or "" */
    char message[768];    /* one line without final dot or newline; control bytes are escaped */
} spate_error;

/*
 * Fills in *error (may be NULL) and returns `status`, so that callers can write `return spate_fail(error,
 * SPATE_CORRUPT, name, "...", ...)`. Control bytes in the member and message are escaped as \xNN, because they may come
 * from an archive.
 */
spate_status spate_fail(spate_error *error, spate_status status, const char *member, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Like spate_fail, for a failed system call. Reads errno. */
spate_status spate_fail_errno(spate_error *error, const char *member, const char *call);

/* Returns the constant's name in lower case without its prefix, such as "truncated". Never NULL. */
const char *spate_status_name(spate_status status);

/* May be set from any thread or signal handler. Long operations check it regularly. */
typedef struct spate_cancel {
    volatile int requested;
} spate_cancel;
/* Returns SPATE_CANCELLED if cancellation was requested. `cancel` may be NULL. */
spate_status spate_cancelled(const spate_cancel *cancel, spate_error *error);

#endif
