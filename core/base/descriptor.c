#define _GNU_SOURCE
#include "base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

bool spate_write_all(int descriptor, const void *bytes, size_t length) {
    const uint8_t *rest = bytes;
    while (length > 0) {
        ssize_t written = write(descriptor, rest, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        rest += written;
        length -= (size_t)written;
    }
    return true;
}

/* An offset of -1 means the descriptor's current position. */
static int64_t read_at(int descriptor, uint8_t *bytes, size_t capacity, off_t offset) {
    size_t filled = 0;
    while (filled < capacity) {
        size_t left = capacity - filled;
        ssize_t got = offset < 0 ? read(descriptor, bytes + filled, left)
                                 : pread(descriptor, bytes + filled, left, offset + (off_t)filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        filled += (size_t)got;
    }
    return (int64_t)filled;
}

int64_t spate_read_full(int descriptor, void *bytes, size_t capacity) {
    return read_at(descriptor, bytes, capacity, -1);
}

int64_t spate_pread_full(int descriptor, void *bytes, size_t capacity, uint64_t offset) {
    if (offset > INT64_MAX) {
        errno = EINVAL;
        return -1;
    }
    return read_at(descriptor, bytes, capacity, (off_t)offset);
}

int spate_open_temporary(char *temporary, size_t capacity, const char *path) {
    for (int attempt = 0; attempt < 16; attempt++) {
        uint64_t random;
        if (getentropy(&random, sizeof(random)) != 0)
            return -1;
        int size = snprintf(temporary, capacity, "%s.%016llx.tmp", path, (unsigned long long)random);
        if (size < 0 || (size_t)size >= capacity) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

spate_status spate_publish(int descriptor, bool written, const char *temporary, const char *path, spate_error *error) {
    spate_status status = written ? SPATE_OK : spate_fail_errno(error, path, "write");
    if (close(descriptor) != 0 && status == SPATE_OK)
        status = spate_fail_errno(error, path, "close");
    if (status == SPATE_OK && rename(temporary, path) != 0)
        status = spate_fail_errno(error, path, "rename");
    if (status != SPATE_OK)
        unlink(temporary);
    return status;
}
