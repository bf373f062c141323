/*
 * The result of every function of the core: a status and, for messages, an error with the facts. The core never prints,
 * never exits, never calls Ruby and keeps no global state that is not thread safe.
 */
#ifndef SPATE_STATUS_H
#define SPATE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum spate_status {
    SPATE_OK = 0,
    SPATE_NO_MEMORY,  /* malloc failed */
    SPATE_SYSTEM,     /* a system call failed, with error.system_errno */
    SPATE_TRUNCATED,  /* the input ends before it should */
    SPATE_CORRUPT,    /* the input violates its format */
    SPATE_CHECKSUM,   /* a digest or CRC differs: expected and found in the message */
    SPATE_REFUSED,    /* a hostile member: traversal, device, hard link out, ... */
    SPATE_LIMIT,      /* a cap that can be raised was reached */
    SPATE_CANCELLED,  /* spate_cancel was set while the work ran */
    SPATE_STALE,      /* an on-disk structure is of another version or damaged */
} spate_status;

/* The facts of one failure. Plain data, owned by the caller, no pointers. */
typedef struct spate_error {
    spate_status status;
    int system_errno;     /* errno of the failed call, or 0 */
    char member[512];     /* archive member or path of the failure, or "" */
    char message[768];    /* one line, no trailing dot or newline; control bytes escaped */
} spate_error;

/*
 * Fills *error (may be NULL) and returns status, so that callers can write `return spate_fail(error, SPATE_CORRUPT,
 * name, "...", ...)`. Control bytes in the member and message are written as \xNN: they may come from an archive.
 */
spate_status spate_fail(spate_error *error, spate_status status, const char *member, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a failed system call: reads errno before anything else. */
spate_status spate_fail_errno(spate_error *error, const char *member, const char *call);

/* The constant's name without its prefix, lower case: "truncated". Never NULL. */
const char *spate_status_name(spate_status status);

/* Set from any thread or signal handler; long work checks it between members. */
typedef struct spate_cancel {
    volatile int requested;
} spate_cancel;
/* SPATE_CANCELLED if cancelling was requested. `cancel` may be NULL. */
spate_status spate_cancelled(const spate_cancel *cancel, spate_error *error);

#endif
