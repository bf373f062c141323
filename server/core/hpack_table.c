#include "hpack_table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ENTRIES 16
#define FIRST_BYTES 512

typedef struct static_entry {
    const char *name;
    uint8_t name_length;
    const char *value;
    uint8_t value_length;
} static_entry;

#define ENTRY(name, value) {name, sizeof name - 1, value, sizeof value - 1}

/* RFC 7541, appendix A. */
static const static_entry static_table[SPATE_HPACK_STATIC_ENTRIES] = {
    ENTRY(":authority", ""),
    ENTRY(":method", "GET"),
    ENTRY(":method", "POST"),
    ENTRY(":path", "/"),
    ENTRY(":path", "/index.html"),
    ENTRY(":scheme", "http"),
    ENTRY(":scheme", "https"),
    ENTRY(":status", "200"),
    ENTRY(":status", "204"),
    ENTRY(":status", "206"),
    ENTRY(":status", "304"),
    ENTRY(":status", "400"),
    ENTRY(":status", "404"),
    ENTRY(":status", "500"),
    ENTRY("accept-charset", ""),
    ENTRY("accept-encoding", "gzip, deflate"),
    ENTRY("accept-language", ""),
    ENTRY("accept-ranges", ""),
    ENTRY("accept", ""),
    ENTRY("access-control-allow-origin", ""),
    ENTRY("age", ""),
    ENTRY("allow", ""),
    ENTRY("authorization", ""),
    ENTRY("cache-control", ""),
    ENTRY("content-disposition", ""),
    ENTRY("content-encoding", ""),
    ENTRY("content-language", ""),
    ENTRY("content-length", ""),
    ENTRY("content-location", ""),
    ENTRY("content-range", ""),
    ENTRY("content-type", ""),
    ENTRY("cookie", ""),
    ENTRY("date", ""),
    ENTRY("etag", ""),
    ENTRY("expect", ""),
    ENTRY("expires", ""),
    ENTRY("from", ""),
    ENTRY("host", ""),
    ENTRY("if-match", ""),
    ENTRY("if-modified-since", ""),
    ENTRY("if-none-match", ""),
    ENTRY("if-range", ""),
    ENTRY("if-unmodified-since", ""),
    ENTRY("last-modified", ""),
    ENTRY("link", ""),
    ENTRY("location", ""),
    ENTRY("max-forwards", ""),
    ENTRY("proxy-authenticate", ""),
    ENTRY("proxy-authorization", ""),
    ENTRY("range", ""),
    ENTRY("referer", ""),
    ENTRY("refresh", ""),
    ENTRY("retry-after", ""),
    ENTRY("server", ""),
    ENTRY("set-cookie", ""),
    ENTRY("strict-transport-security", ""),
    ENTRY("transfer-encoding", ""),
    ENTRY("user-agent", ""),
    ENTRY("vary", ""),
    ENTRY("via", ""),
    ENTRY("www-authenticate", ""),
};

static uint32_t hash_of(const uint8_t *bytes, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static bool same(const void *a, size_t a_length, const void *b, size_t b_length) {
    return a_length == b_length && (a_length == 0 || memcmp(a, b, a_length) == 0);
}

static size_t entry_size(size_t name_length, size_t value_length) {
    return name_length + value_length + SPATE_HPACK_ENTRY_OVERHEAD;
}

static spate_hpack_entry *entry_at(const spate_hpack_table *table, uint32_t number) {
    return &table->entries[number & (table->entries_capacity - 1)];
}

/* Offset of the oldest entry's bytes. */
static size_t live_from(const spate_hpack_table *table) {
    return table->count ? entry_at(table, table->inserted - table->count)->offset : table->end;
}

static void evict_oldest(spate_hpack_table *table) {
    const spate_hpack_entry *entry = entry_at(table, table->inserted - table->count);
    table->size -= entry_size(entry->name_length, entry->value_length);
    table->count--;
    if (table->count == 0)
        table->end = 0;
}

static bool reserve_entry(spate_hpack_table *table) {
    if (table->count < table->entries_capacity)
        return true;
    uint32_t capacity = table->entries_capacity ? table->entries_capacity * 2 : FIRST_ENTRIES;
    spate_hpack_entry *entries = malloc(capacity * sizeof *entries);
    if (!entries)
        return false;
    for (uint32_t i = 1; i <= table->count; i++)
        entries[(table->inserted - i) & (capacity - 1)] = *entry_at(table, table->inserted - i);
    free(table->entries);
    table->entries = entries;
    table->entries_capacity = capacity;
    return true;
}

/* Provides space for `needed` bytes after the last entry: compacts if at least half is unused, else grows. */
static bool reserve_bytes(spate_hpack_table *table, size_t needed) {
    size_t from, live;
    if (table->bytes && table->capacity - table->end >= needed)
        return true;
    from = live_from(table);
    live = table->end - from;
    if (!table->bytes || live > table->capacity / 2 || table->capacity - live < needed) {
        size_t capacity = table->capacity ? table->capacity * 2 : FIRST_BYTES;
        while (capacity - live < needed)
            capacity *= 2;
        uint8_t *bytes = realloc(table->bytes, capacity);
        if (!bytes)
            return false;
        table->bytes = bytes;
        table->capacity = capacity;
    }
    if (live)
        memmove(table->bytes, table->bytes + from, live);
    for (uint32_t i = 1; i <= table->count; i++)
        entry_at(table, table->inserted - i)->offset -= (uint32_t)from;
    table->end = live;
    return true;
}

void spate_hpack_table_free(spate_hpack_table *table) {
    free(table->bytes);
    free(table->entries);
    memset(table, 0, sizeof *table);
}

void spate_hpack_table_resize(spate_hpack_table *table, size_t max_size) {
    table->max_size = max_size;
    while (table->size > max_size)
        evict_oldest(table);
}

bool spate_hpack_table_at(const spate_hpack_table *table, uint64_t index, spate_hpack_field *field) {
    if (index == 0)
        return false;
    if (index <= SPATE_HPACK_STATIC_ENTRIES) {
        const static_entry *entry = &static_table[index - 1];
        *field = (spate_hpack_field){(const uint8_t *)entry->name, entry->name_length, (const uint8_t *)entry->value,
                                     entry->value_length, false};
        return true;
    }
    index -= SPATE_HPACK_STATIC_ENTRIES;
    if (index > table->count)
        return false;
    const spate_hpack_entry *entry = entry_at(table, table->inserted - (uint32_t)index);
    const uint8_t *name = table->bytes + entry->offset;
    *field = (spate_hpack_field){name, entry->name_length, name + entry->name_length, entry->value_length, false};
    return true;
}

bool spate_hpack_table_insert(spate_hpack_table *table, const spate_hpack_field *field) {
    size_t bytes = field->name_length + field->value_length;
    size_t size = entry_size(field->name_length, field->value_length);
    while (table->count && table->size + size > table->max_size)
        evict_oldest(table);
    if (size > table->max_size)
        return true;
    if (!reserve_entry(table) || !reserve_bytes(table, bytes))
        return false;
    uint8_t *at = table->bytes + table->end;
    if (field->name_length)
        memcpy(at, field->name, field->name_length);
    if (field->value_length)
        memcpy(at + field->name_length, field->value, field->value_length);
    *entry_at(table, table->inserted) =
        (spate_hpack_entry){(uint32_t)table->end, (uint32_t)field->name_length, (uint32_t)field->value_length,
                            hash_of(field->name, field->name_length)};
    table->end += bytes;
    table->inserted++;
    table->count++;
    table->size += size;
    return true;
}

static uint32_t find_static(const spate_hpack_field *field, uint32_t *name_index) {
    for (uint32_t i = 0; i < SPATE_HPACK_STATIC_ENTRIES; i++) {
        const static_entry *entry = &static_table[i];
        if (!same(entry->name, entry->name_length, field->name, field->name_length))
            continue;
        if (same(entry->value, entry->value_length, field->value, field->value_length))
            return i + 1;
        if (*name_index == 0)
            *name_index = i + 1;
    }
    return 0;
}

uint32_t spate_hpack_table_find(const spate_hpack_table *table, const spate_hpack_field *field, uint32_t *name_index) {
    *name_index = 0;
    uint32_t found = find_static(field, name_index);
    if (found)
        return found;
    uint32_t hash = table->count ? hash_of(field->name, field->name_length) : 0;
    for (uint32_t i = 1; i <= table->count; i++) {
        const spate_hpack_entry *entry = entry_at(table, table->inserted - i);
        const uint8_t *name = table->bytes + entry->offset;
        if (entry->hash != hash || !same(name, entry->name_length, field->name, field->name_length))
            continue;
        if (same(name + entry->name_length, entry->value_length, field->value, field->value_length))
            return SPATE_HPACK_STATIC_ENTRIES + i;
        if (*name_index == 0)
            *name_index = SPATE_HPACK_STATIC_ENTRIES + i;
    }
    return 0;
}
