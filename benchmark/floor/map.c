/*
 * map FILE ROUNDS
 *
 * Prints the time to load FILE and compute its CRC-32C, in milliseconds, best of ROUNDS: mapped; read into memory; the
 * checksum alone, with the processor's instruction and with tables. The file is in the page cache.
 */
#include "digest/crc32c.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile uint32_t sum;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void keep_least(double *least, double started) {
    double taken = now() - started;
    if (*least == 0 || taken < *least)
        *least = taken;
}

int main(int argc, char **argv) {
    double mapped = 0, summed = 0, by_tables = 0, was_read = 0;
    struct stat info;
    int file = argc == 3 ? open(argv[1], O_RDONLY) : -1;
    if (file < 0 || fstat(file, &info) != 0)
        return 1;
    size_t length = (size_t)info.st_size;
    for (int round = 0; round < atoi(argv[2]); round++) {
        double started = now();
        void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes == MAP_FAILED)
            return 1;
        sum = spate_crc32c(0, bytes, length);
        keep_least(&mapped, started);
        started = now();
        sum = spate_crc32c(0, bytes, length);
        keep_least(&summed, started);
        started = now();
        sum = spate_crc32c_portable(0, bytes, length);
        keep_least(&by_tables, started);
        munmap(bytes, length);
        started = now();
        char *copy = malloc(length);
        if (!copy || pread(file, copy, length, 0) != (ssize_t)length)
            return 1;
        sum = spate_crc32c(0, copy, length);
        keep_least(&was_read, started);
        free(copy);
    }
    printf("%.3f %.3f %.3f %.3f\n", mapped, was_read, summed, by_tables);
    return 0;
}
