#ifndef SPATE_HPACK_TABLE_H
#define SPATE_HPACK_TABLE_H

/* The static and the dynamic table of HPACK in one index space: RFC 7541, section 2.3. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPATE_HPACK_STATIC_ENTRIES 61
/* Added to each entry's bytes when the table size is calculated: section 4.1. */
#define SPATE_HPACK_ENTRY_OVERHEAD 32

/* A header field. The struct does not own the bytes. */
typedef struct spate_hpack_field {
    const uint8_t *name;
    size_t name_length;
    const uint8_t *value;
    size_t value_length;
    bool never_indexed; /* section 6.2.3: the field must not be indexed when it is forwarded */
} spate_hpack_field;

typedef struct spate_hpack_entry {
    uint32_t offset; /* offset of the name in the table's bytes; the value follows the name */
    uint32_t name_length;
    uint32_t value_length;
    uint32_t hash; /* hash of the name */
} spate_hpack_entry;

/*
 * The dynamic table. A struct of zeros is an empty table of size 0. Entry number n (counted since creation) is in
 * entries[n % entries_capacity]; entries `inserted - count` to `inserted - 1` exist. Their bytes are contiguous and end
 * at offset `end`. No memory is allocated before the first insert.
 */
typedef struct spate_hpack_table {
    uint8_t *bytes;
    size_t capacity;
    size_t end;
    spate_hpack_entry *entries;
    uint32_t entries_capacity; /* a power of two */
    uint32_t inserted;
    uint32_t count;
    size_t size;     /* bytes, section 4.1 */
    size_t max_size; /* bytes, section 4.2 */
} spate_hpack_table;

/* Frees the table's memory, not the struct itself. */
void spate_hpack_table_free(spate_hpack_table *table);

/* Sets max_size (bytes) and evicts the oldest entries until the rest fits. */
void spate_hpack_table_resize(spate_hpack_table *table, size_t max_size);

/*
 * Sets `field` to the entry at `index`; 1 is the first entry of the static table. The bytes belong to the table and are
 * valid until the next insert or resize. Returns false for an invalid index.
 */
bool spate_hpack_table_at(const spate_hpack_table *table, uint64_t index, spate_hpack_field *field);

/*
 * Evicts the oldest entries and inserts a copy of `field`, whose bytes must not be in the table itself. A field larger
 * than max_size empties the table. Returns false when out of memory.
 */
bool spate_hpack_table_insert(spate_hpack_table *table, const spate_hpack_field *field);

/*
 * Returns the index of an entry with the same name and value, or 0. If the result is 0, sets `*name_index` to the index
 * of an entry with the same name, or 0.
 */
uint32_t spate_hpack_table_find(const spate_hpack_table *table, const spate_hpack_field *field, uint32_t *name_index);

#endif
