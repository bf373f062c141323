/* An ELF file's tables, located by its headers and read within its bounds. For promise.c. */
#ifndef SPATE_ELF_FILE_H
#define SPATE_ELF_FILE_H

#include "elf/promise.h"

/* Far above any library's; larger numbers are refused. */
#define ELF_SEGMENTS_MAX 256

typedef struct elf_segment {
    uint64_t type, offset, address, size;
} elf_segment;

/* A piece of the file, read at once because tables are read word by word. */
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
    /* From the dynamic section; 0: absent. Addresses, except sizes, counts and offsets into the strings. */
    uint64_t strings, strings_size, name, symbols, hash, gnu_hash, versions, version_count;
    bool named;
} elf_file;

/*
 * Reads headers and dynamic section into `lib`, which has only source and window so far. false: not a dynamic library
 * with a name.
 */
bool spate_elf_open(elf_file *lib);
/* `length` bytes at an address of one of its segments. */
bool spate_elf_fetch(const elf_file *lib, uint64_t address, void *into, size_t length);
/* The same, with malloc; NULL with *status: SPATE_CORRUPT, also beyond `max` bytes, or SPATE_NO_MEMORY. */
void *spate_elf_copy(const elf_file *lib, uint64_t address, uint64_t length, uint64_t max, spate_status *status);
/* Of `width` bytes, in the file's byte order. */
uint64_t spate_elf_number(const elf_file *lib, const uint8_t *bytes, int width);

#endif
