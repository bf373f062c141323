/*
 * The compiler includes this file before each source file (cc -include) in a build that pretends not to be on Linux;
 * docs/platforms.md describes it. The file removes what macOS and the BSDs lack. The build still uses this system's
 * headers. They are included here first, so the feature macros set here apply to the whole source file, and using a GNU
 * extension is then an implicit declaration.
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

/* POSIX lacks this function, but macOS has it. */
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

/* mkmf defines these macros. */
#undef HAVE_LINUX_OPENAT2_H
#undef HAVE_SYS_EPOLL_H
