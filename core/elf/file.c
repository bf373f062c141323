#define _GNU_SOURCE
#include "elf/file.h"

#include "base/descriptor.h"

#include <stdlib.h>
#include <string.h>

#define DYNAMIC_MAX ((uint64_t)1 << 20)

enum { TYPE_DYNAMIC_LIBRARY = 3, SEGMENT_LOAD = 1, SEGMENT_DYNAMIC = 2 };

enum {
    TAG_HASH = 4,
    TAG_STRINGS = 5,
    TAG_SYMBOLS = 6,
    TAG_STRINGS_SIZE = 10,
    TAG_NAME = 14,
    TAG_GNU_HASH = 0x6ffffef5,
    TAG_VERSIONS = 0x6ffffffc,
    TAG_VERSION_COUNT = 0x6ffffffd,
};

/* ---- bytes ---- */

static bool read_at(const spate_elf_source *source, uint64_t offset, void *into, size_t length) {
    return spate_pread_full(source->descriptor, into, length, offset) == (int64_t)length;
}

static bool move_window(const spate_elf_source *source, elf_window *w, uint64_t offset) {
    uint64_t rest = source->length - offset;
    w->offset = offset;
    w->length = rest < ELF_WINDOW_BYTES ? (size_t)rest : ELF_WINDOW_BYTES;
    if (read_at(source, offset, w->bytes, w->length))
        return true;
    w->length = 0;
    return false;
}

static bool fetch(const elf_file *lib, uint64_t offset, void *into, size_t length) {
    const spate_elf_source *source = lib->source;
    elf_window *w = lib->window;
    if (offset > source->length || length > source->length - offset)
        return false;
    if (source->bytes) {
        memcpy(into, source->bytes + offset, length);
        return true;
    }
    if (length > ELF_WINDOW_BYTES)
        return read_at(source, offset, into, length);
    bool inside = offset >= w->offset && offset - w->offset <= w->length && length <= w->length - (offset - w->offset);
    if (!inside && !move_window(source, w, offset))
        return false;
    memcpy(into, w->bytes + (offset - w->offset), length);
    return true;
}

uint64_t spate_elf_number(const elf_file *lib, const uint8_t *bytes, int width) {
    uint64_t value = 0;
    for (int i = 0; i < width; i++)
        value |= (uint64_t)bytes[lib->big ? width - 1 - i : i] << (8 * i);
    return value;
}

/* Converts the address of `length` bytes to a file offset. Returns false if no segment contains them. */
static bool place(const elf_file *lib, uint64_t address, uint64_t length, uint64_t *offset) {
    for (size_t i = 0; i < lib->segment_count; i++) {
        const elf_segment *s = &lib->segments[i];
        if (s->type != SEGMENT_LOAD || address < s->address || address - s->address > s->size ||
            length > s->size - (address - s->address))
            continue;
        *offset = s->offset + (address - s->address);
        return *offset >= s->offset;
    }
    return false;
}

bool spate_elf_fetch(const elf_file *lib, uint64_t address, void *into, size_t length) {
    uint64_t offset;
    return place(lib, address, length, &offset) && fetch(lib, offset, into, length);
}

void *spate_elf_copy(const elf_file *lib, uint64_t address, uint64_t length, uint64_t max, spate_status *status) {
    uint64_t offset;
    *status = SPATE_CORRUPT;
    if (length > max || !place(lib, address, length, &offset) || offset > lib->source->length ||
        length > lib->source->length - offset)
        return NULL;
    void *copy = malloc(length > 0 ? (size_t)length : 1);
    *status = copy ? SPATE_OK : SPATE_NO_MEMORY;
    if (copy && !fetch(lib, offset, copy, (size_t)length)) {
        *status = SPATE_CORRUPT;
        free(copy);
        copy = NULL;
    }
    return copy;
}

/* ---- headers ---- */

static bool read_header(elf_file *lib, uint64_t *segments_at, size_t *step) {
    uint8_t header[64] = {0};
    if (!fetch(lib, 0, header, 52) || memcmp(header, "\177ELF", 4) != 0 || header[4] < 1 || header[4] > 2 ||
        header[5] < 1 || header[5] > 2)
        return false;
    lib->wide = header[4] == 2;
    lib->big = header[5] == 2;
    if (lib->wide && !fetch(lib, 0, header, 64))
        return false;
    lib->machine = (uint16_t)spate_elf_number(lib, header + 18, 2);
    *segments_at = lib->wide ? spate_elf_number(lib, header + 32, 8) : spate_elf_number(lib, header + 28, 4);
    *step = (size_t)spate_elf_number(lib, header + (lib->wide ? 54 : 42), 2);
    lib->segment_count = (size_t)spate_elf_number(lib, header + (lib->wide ? 56 : 44), 2);
    return spate_elf_number(lib, header + 16, 2) == TYPE_DYNAMIC_LIBRARY && lib->segment_count <= ELF_SEGMENTS_MAX &&
           *step == (lib->wide ? 56 : 32);
}

static bool read_segments(elf_file *lib, uint64_t at, size_t step) {
    uint8_t bytes[56];
    for (size_t i = 0; i < lib->segment_count; i++) {
        if (at > lib->source->length || !fetch(lib, at + i * step, bytes, step))
            return false;
        elf_segment *s = &lib->segments[i];
        s->type = spate_elf_number(lib, bytes, 4);
        s->offset = lib->wide ? spate_elf_number(lib, bytes + 8, 8) : spate_elf_number(lib, bytes + 4, 4);
        s->address = lib->wide ? spate_elf_number(lib, bytes + 16, 8) : spate_elf_number(lib, bytes + 8, 4);
        s->size = lib->wide ? spate_elf_number(lib, bytes + 32, 8) : spate_elf_number(lib, bytes + 16, 4);
    }
    return true;
}

static void take_tag(elf_file *lib, uint64_t tag, uint64_t value) {
    switch (tag) {
    case TAG_STRINGS: lib->strings = value; break;
    case TAG_STRINGS_SIZE: lib->strings_size = value; break;
    case TAG_SYMBOLS: lib->symbols = value; break;
    case TAG_HASH: lib->hash = value; break;
    case TAG_GNU_HASH: lib->gnu_hash = value; break;
    case TAG_VERSIONS: lib->versions = value; break;
    case TAG_VERSION_COUNT: lib->version_count = value; break;
    case TAG_NAME:
        lib->name = value;
        lib->named = true;
        break;
    default: break;
    }
}

static bool read_dynamic(elf_file *lib) {
    uint8_t pair[16];
    int width = lib->wide ? 8 : 4;
    const elf_segment *dynamic = NULL;
    for (size_t i = 0; i < lib->segment_count && !dynamic; i++)
        if (lib->segments[i].type == SEGMENT_DYNAMIC)
            dynamic = &lib->segments[i];
    if (!dynamic || dynamic->size > DYNAMIC_MAX || dynamic->offset > lib->source->length)
        return false;
    for (uint64_t at = 0; at + 2 * (uint64_t)width <= dynamic->size; at += 2 * (uint64_t)width) {
        if (!fetch(lib, dynamic->offset + at, pair, 2 * (size_t)width))
            return false;
        uint64_t tag = spate_elf_number(lib, pair, width);
        if (tag == 0)
            break;
        take_tag(lib, tag, spate_elf_number(lib, pair + width, width));
    }
    return lib->strings != 0 && lib->named;
}

bool spate_elf_open(elf_file *lib) {
    uint64_t segments_at;
    size_t step;
    return read_header(lib, &segments_at, &step) && read_segments(lib, segments_at, step) && read_dynamic(lib);
}
