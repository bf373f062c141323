/*
 * The system calls that take a path, and what they do with it. The filter and the listener share this list, because a
 * call known to only one of them could not be traced.
 */
#ifndef SPATE_TRACER_CALLS_H
#define SPATE_TRACER_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum spate_tracer_means {
    SPATE_TRACER_OPENS,       /* with flags */
    SPATE_TRACER_OPENS_HOW,   /* flags in a struct open_how */
    SPATE_TRACER_CREATES,     /* creat */
    SPATE_TRACER_LOOKS,       /* flags: AT_SYMLINK_NOFOLLOW */
    SPATE_TRACER_LOOKS_AT_IT, /* like LOOKS, but does not follow a symlink */
    SPATE_TRACER_READS_LINK,
    SPATE_TRACER_RUNS,
    SPATE_TRACER_LISTS, /* lists an open directory */
    SPATE_TRACER_MAKES,
    SPATE_TRACER_REMOVES,
    SPATE_TRACER_CHANGES,
    SPATE_TRACER_CHANGES_OPEN, /* changes an open file, maybe one opened read-only; traced only in read-only mode */
    SPATE_TRACER_CONTROLS,     /* controls another process, which could write; traced only in read-only mode */
    SPATE_TRACER_RENAMES,      /* renames the path to the second path */
    SPATE_TRACER_LINKS,        /* links the path to the second path, which is created */
    SPATE_TRACER_SYMLINKS,     /* the first path is the text of the link */
    SPATE_TRACER_CONNECTS,
    SPATE_TRACER_HAS_SOCKET, /* the first argument is the address family */
    SPATE_TRACER_TROUBLES,   /* afterwards, paths have a different meaning or cannot be traced */
} spate_tracer_means;

#define SPATE_TRACER_NONE (-1)

/* The members are indexes of arguments, or SPATE_TRACER_NONE if the call has no such argument. Without a directory
 * argument, paths are relative to the working directory. */
typedef struct spate_tracer_call {
    const char *name;
    int number;
    spate_tracer_means means;
    bool hooked; /* the hooks make this call from the page and record it themselves */
    int8_t folder;
    int8_t path;
    int8_t flags;
    int8_t second_folder;
    int8_t second_path;
} spate_tracer_call;

extern const spate_tracer_call spate_tracer_calls[];
extern const size_t spate_tracer_call_count;
/* Returns NULL if the call is not in the list. */
const spate_tracer_call *spate_tracer_call_of(int number);

/* Flags with which an open is rejected in read-only mode. */
#define SPATE_TRACER_WRITE_FLAGS (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

/* The highest system call number known to this list. Newer calls may use paths in unknown ways. */
#define SPATE_TRACER_LAST_KNOWN 470

/*
 * The address of the page from which the hooks make their calls. It is the same in all programs, so that the filter can
 * recognize these calls. The page is read-only and contains one function, of type `leave`.
 */
#if defined(__x86_64__)
#define SPATE_TRACER_PAGE UINT64_C(0x6ea000000000)
#else
#define SPATE_TRACER_PAGE UINT64_C(0x6ea0000000) /* within 39 bits, the address space of some kernels */
#endif
#define SPATE_TRACER_PAGE_SIZE 4096

#endif
