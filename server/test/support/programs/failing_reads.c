/*
 * For LD_PRELOAD. Reads of a file "*.broken" beyond 64 KB fail with EIO. A file "*.slow" counts as uncached until pread
 * has read it. An earlier read on the main thread, which runs the reactor, is reported on stderr.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile off_t cached;

static int named(int fd, const char *ending) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < (ssize_t)strlen(ending))
        return 0;
    path[length] = '\0';
    return strcmp(path + length - strlen(ending), ending) == 0;
}

/* Returns whether a read up to `end` fails. */
static int disk(int fd, off_t end) {
    if (end > cached && named(fd, ".slow") && syscall(SYS_gettid) == getpid())
        dprintf(2, "the reactor waits for a disk\n");
    if (end <= 65536 || !named(fd, ".broken"))
        return 0;
    errno = EIO;
    return 1;
}

static off_t bytes_of(const struct iovec *slices, int count) {
    off_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += (off_t)slices[i].iov_len;
    return bytes;
}

ssize_t pread(int fd, void *bytes, size_t length, off_t position) {
    ssize_t (*real)(int, void *, size_t, off_t) = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
    if (disk(fd, position + (off_t)length))
        return -1;
    ssize_t count = real(fd, bytes, length, position);
    if (count > 0 && named(fd, ".slow") && position + count > cached) {
        usleep(10000);
        cached = position + count;
    }
    return count;
}

ssize_t preadv(int fd, const struct iovec *slices, int count, off_t position) {
    ssize_t (*real)(int, const struct iovec *, int, off_t) =
        (ssize_t(*)(int, const struct iovec *, int, off_t))dlsym(RTLD_NEXT, "preadv");
    return disk(fd, position + bytes_of(slices, count)) ? -1 : real(fd, slices, count, position);
}

ssize_t preadv2(int fd, const struct iovec *slices, int count, off_t position, int flags) {
    ssize_t (*real)(int, const struct iovec *, int, off_t, int) =
        (ssize_t(*)(int, const struct iovec *, int, off_t, int))dlsym(RTLD_NEXT, "preadv2");
    if (position >= cached && named(fd, ".slow")) {
        errno = EAGAIN;
        return -1;
    }
    return real(fd, slices, count, position, flags);
}

ssize_t sendfile(int socket, int fd, off_t *position, size_t length) {
    ssize_t (*real)(int, int, off_t *, size_t) =
        (ssize_t(*)(int, int, off_t *, size_t))dlsym(RTLD_NEXT, "sendfile");
    return disk(fd, *position + (off_t)length) ? -1 : real(socket, fd, position, length);
}

ssize_t pread64(int fd, void *bytes, size_t length, off_t position) {
    return pread(fd, bytes, length, position);
}

ssize_t preadv64(int fd, const struct iovec *slices, int count, off_t position) {
    return preadv(fd, slices, count, position);
}

ssize_t preadv64v2(int fd, const struct iovec *slices, int count, off_t position, int flags) {
    return preadv2(fd, slices, count, position, flags);
}

ssize_t sendfile64(int socket, int fd, off_t *position, size_t length) {
    return sendfile(socket, fd, position, length);
}
