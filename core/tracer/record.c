#define _GNU_SOURCE
#include "tracer/here.h"
#include "tracer/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Enough for Nokogiri with its bundled libxml2, which uses 9,000 names with 700 kB. Unwritten pages use no memory. */
#define SLOTS (1u << 17)
#define BYTES (48u << 20)

/* ---- making ---- */

#ifdef SPATE_TRACER_HERE
static int anonymous_file(uint64_t size, spate_error *error) {
    int descriptor = memfd_create("spate-tracer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) {
        spate_fail_errno(error, NULL, "memfd_create");
        return -1;
    }
    /* Sealed, because a child that truncates the file would crash this process at its next access. */
    if (ftruncate(descriptor, (off_t)size) == 0 &&
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return descriptor;
    spate_fail_errno(error, NULL, "memfd");
    close(descriptor);
    return -1;
}
#else
static int anonymous_file(uint64_t size, spate_error *error) {
    (void)size;
    spate_fail(error, SPATE_SYSTEM, NULL, "this system has no sealed memory");
    return -1;
}
#endif

static bool take_ignored(spate_tracer_header *header, const char *const *ignored, size_t count) {
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(ignored[i]) + 1;
        if (length > sizeof(header->ignored) - at)
            return false;
        memcpy(header->ignored + at, ignored[i], length);
        at += (uint32_t)length;
    }
    header->ignored_length = at;
    return true;
}

spate_status spate_tracer_record_new(spate_tracer_table *table, int *descriptor, const char *const *ignored,
                                     size_t count, spate_tracer_size size, spate_error *error) {
    uint32_t slots = size.slots ? size.slots : SLOTS;
    uint64_t entries = sizeof(spate_tracer_header) + (uint64_t)slots * sizeof(uint32_t);
    uint64_t all = entries + (size.bytes ? size.bytes : BYTES);
    *descriptor = anonymous_file(all, error);
    if (*descriptor < 0)
        return error && error->status != SPATE_OK ? error->status : SPATE_SYSTEM;

    spate_status status = SPATE_OK;
    spate_tracer_header *header = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, *descriptor, 0);
    if (header == MAP_FAILED) {
        status = spate_fail_errno(error, NULL, "mmap");
        close(*descriptor);
        return status;
    }
    memcpy(header->magic, SPATE_TRACER_MAGIC, sizeof(header->magic));
    header->version = SPATE_TRACER_VERSION;
    header->slot_count = slots;
    header->size = all;
    atomic_store(&header->used, entries);
    if (!take_ignored(header, ignored, count))
        status = spate_fail(error, SPATE_LIMIT, NULL, "too many folders to ignore");
    else if (!spate_tracer_table_take(table, header, all))
        status = spate_fail(error, SPATE_LIMIT, NULL, "a table of %u slots", slots);
    if (status == SPATE_OK)
        return status;
    munmap(header, all);
    close(*descriptor);
    return status;
}

void spate_tracer_record_free(spate_tracer_table *table, int descriptor) {
    if (table->header)
        munmap(table->header, table->size);
    table->header = NULL;
    if (descriptor >= 0)
        close(descriptor);
}

/* ---- reading ---- */

static int by_offset(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Reads the slots instead of the entries, because killed processes leave gaps between entries. */
static size_t take_offsets(const spate_tracer_table *table, uint32_t *offsets) {
    size_t count = 0;
    for (uint32_t i = 0; i < table->slot_count; i++) {
        uint32_t offset = atomic_load_explicit(&table->slots[i], memory_order_acquire);
        if (offset != 0)
            offsets[count++] = offset;
    }
    qsort(offsets, count, sizeof(*offsets), by_offset);
    return count;
}

static bool well_formed(const char *text, size_t length, uint64_t kinds) {
    if (length == 0 || memchr(text, '\0', length) || !strchr("/$!>", text[0]))
        return false;
    for (; kinds != 0; kinds >>= 4)
        if ((kinds & 15) == 0 || (kinds & 15) >= SPATE_TRACER_KINDS)
            return false;
    return true;
}

spate_status spate_tracer_record_each(const spate_tracer_table *table, spate_tracer_visit *visit, void *context) {
    static const char overflowed[] = "!overflow";
    static const char damaged[] = "!damaged";
    uint32_t *offsets = malloc((size_t)table->slot_count * sizeof(*offsets));
    char *text = malloc(SPATE_TRACER_TEXT_MAX + 1);
    if (!offsets || !text) {
        free(offsets);
        free(text);
        return SPATE_NO_MEMORY;
    }
    bool on = true;
    bool whole = true;
    size_t count = take_offsets(table, offsets);
    for (size_t i = 0; i < count && on; i++) {
        const spate_tracer_entry *entry;
        uint32_t length = spate_tracer_table_entry(table, offsets[i], &entry);
        uint64_t kinds = 0;
        if (length > 0) {
            memcpy(text, entry->text, length); /* a copy, because another process may change it */
            kinds = atomic_load(&entry->kinds);
        }
        text[length] = '\0';
        if (length > 0 && kinds != 0 && well_formed(text, length, kinds))
            on = visit(context, text, length, kinds);
        else
            whole = false;
    }
    if (on && !whole)
        on = visit(context, damaged, sizeof(damaged) - 1, SPATE_TRACER_TROUBLE);
    if (on && atomic_load(&table->header->overflowed))
        visit(context, overflowed, sizeof(overflowed) - 1, SPATE_TRACER_TROUBLE);
    free(offsets);
    free(text);
    return SPATE_OK;
}
