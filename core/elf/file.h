/* Locates and reads the tables of an ELF file, for promise.c. Never reads outside the file. */
#ifndef SPATE_ELF_FILE_H
#define SPATE_ELF_FILE_H

#include "elf/promise.h"

/* Far more than any library has. Files with more segments are rejected. */
#define ELF_SEGMENTS_MAX 256

typedef struct elf_segment {
    uint64_t type, offset, address, size;
} elf_segment;

/* A buffered piece of the file, because tables are read word by word. */
#define ELF_WINDOW_BYTES 8192

typedef struct elf_window {
    uint64_t offset;
    size_t length;
    uint8_t bytes[ELF_WINDOW_BYTES];
} elf_window;

typedef struct elf_file {
    const spate_elf_source *source;
    elf_window *window;
    bool wide; /* ELFCLASS64 */
    bool big;  /* ELFDATA2MSB */
    uint16_t machine;
    elf_segment segments[ELF_SEGMENTS_MAX];
    size_t segment_count;
    /* From the dynamic section; 0 if absent. They are addresses, except for sizes, counts and offsets into the
     * strings. */
    uint64_t strings, strings_size, name, symbols, hash, gnu_hash, versions, version_count;
    bool named;
} elf_file;

/*
 * Reads the headers and the dynamic section into `lib`. The caller has set source and window. Returns false if the file
 * is not a dynamic library with a SONAME.
 */
bool spate_elf_open(elf_file *lib);
/* Reads `length` bytes at an address within one of the segments. */
bool spate_elf_fetch(const elf_file *lib, uint64_t address, void *into, size_t length);
/* Like spate_elf_fetch, but allocates a copy with malloc. On failure returns NULL and sets *status to SPATE_CORRUPT
 * (also for more than `max` bytes) or SPATE_NO_MEMORY. */
void *spate_elf_copy(const elf_file *lib, uint64_t address, uint64_t length, uint64_t max, spate_status *status);
/* Reads an integer of `width` bytes in the file's byte order. */
uint64_t spate_elf_number(const elf_file *lib, const uint8_t *bytes, int width);

#endif
