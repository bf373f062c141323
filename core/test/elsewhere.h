/*
 * Comes before each file (cc -include) where the C is tried as on a system that is not Linux: see docs/platforms.md.
 * What macOS and the BSDs lack is missing here too. The headers are this system's all the same, and read first: the
 * features asked for here are those of the whole file, and what only GNU's library has is then an implicit declaration.
 */
#undef _GNU_SOURCE
#define _XOPEN_SOURCE 700
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Not in POSIX, but in macOS. */
void *memmem(const void *, size_t, const void *, size_t);

#undef __linux__
#undef __linux
#undef linux

#undef CLOCK_MONOTONIC_COARSE
#undef CLOCK_REALTIME_COARSE
#undef MAP_POPULATE
#undef MSG_MORE
#undef O_NOATIME
#undef O_PATH
#undef O_TMPFILE
#undef RWF_NOWAIT

/* The results of mkmf. */
#undef HAVE_LINUX_OPENAT2_H
#undef HAVE_SYS_EPOLL_H
