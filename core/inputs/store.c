#define _GNU_SOURCE
#include "inputs/store.h"

#include "base/descriptor.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

spate_status spate_inputs_store(const char *path, uint8_t *bytes, size_t length, spate_error *error) {
    char temporary[PATH_MAX];
    disk_header header;
    memcpy(&header, bytes, sizeof(header));
    header.file_length = LE64(length);
    memcpy(bytes, &header, sizeof(header));
    header.checksum = LE32(spate_inputs_checksum(bytes, length));
    memcpy(bytes, &header, sizeof(header));
    int descriptor = spate_open_temporary(temporary, sizeof(temporary), path);
    if (descriptor < 0)
        return spate_fail_errno(error, path, "open");
    return spate_publish(descriptor, spate_write_all(descriptor, bytes, length), temporary, path, error);
}
