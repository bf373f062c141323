#define _GNU_SOURCE
#include "tracer/supervisor/read_only.h"

#ifdef SPATE_TRACER_HERE

#include "tracer/calls.h"
#include "tracer/supervisor/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Enough for the path of the table. */
#define LONGEST_NAME 64

static const char null_device[] = "/dev/null";

static const spate_tracer_call *traced_call(const struct seccomp_notif *asked) {
    return asked->data.arch == ARCHITECTURE ? spate_tracer_call_of(asked->data.nr) : NULL;
}

/* Whether the socket's address is local. A local daemon could write files. Internet addresses are always allowed. */
static bool is_local(const struct seccomp_notif *asked) {
    sa_family_t family = AF_UNSPEC;
    ssize_t got = spate_tracer_take_bytes(asked->pid, asked->data.args[1], &family, sizeof(family));
    return got != sizeof(family) || family == AF_UNIX;
}

/* Returns the negative errno for a call that is not allowed, or 0. */
static int refused(const struct seccomp_notif *asked, const spate_tracer_call *call) {
    if (!call)
        return asked->data.arch == ARCHITECTURE && (asked->data.nr == SYS_clone || asked->data.nr == SYS_seccomp)
                   ? -EPERM
                   : -ENOSYS;
    switch (call->means) {
    case SPATE_TRACER_OPENS: return (asked->data.args[call->flags] & SPATE_TRACER_WRITE_FLAGS) != 0 ? -EROFS : 0;
    case SPATE_TRACER_OPENS_HOW: return -ENOSYS;
    case SPATE_TRACER_LOOKS:
    case SPATE_TRACER_LOOKS_AT_IT:
    case SPATE_TRACER_READS_LINK:
    case SPATE_TRACER_RUNS:
    case SPATE_TRACER_LISTS: return 0;
    case SPATE_TRACER_CONNECTS: return is_local(asked) ? -EACCES : 0;
    case SPATE_TRACER_HAS_SOCKET: return asked->data.args[0] == AF_UNIX ? -EACCES : 0;
    case SPATE_TRACER_CONTROLS:
    case SPATE_TRACER_TROUBLES: return -EPERM;
    default: return -EROFS;
    }
}

int spate_tracer_give(const struct seccomp_notif *asked, const char *address, int table_file) {
    char name[LONGEST_NAME];
    const spate_tracer_call *call = traced_call(asked);
    if (!call || call->means != SPATE_TRACER_OPENS || refused(asked, call) == 0)
        return -1;
    ssize_t got = spate_tracer_take_bytes(asked->pid, asked->data.args[call->path], name, sizeof(name));
    if (got <= 0 || !memchr(name, '\0', (size_t)got))
        return -1;
    if (strcmp(name, null_device) == 0)
        return open(null_device, O_RDWR | O_CLOEXEC);
    return table_file >= 0 && strcmp(name, address) == 0 ? fcntl(table_file, F_DUPFD_CLOEXEC, 0) : -1;
}

int spate_tracer_refuse(const struct seccomp_notif *asked, long outcome, spate_tracer_table *table) {
    const spate_tracer_call *call = traced_call(asked);
    int error = refused(asked, call);
    if (error != -EROFS)
        return error;
    if (outcome == SPATE_TRACER_UNTOLD && table)
        spate_tracer_table_trouble(table, "changes a file: ", call->name);
    return outcome < 0 ? (int)outcome : error; /* the error that the call would have had */
}

#endif
