#ifndef SPATE_HPACK_TABLE_H
#define SPATE_HPACK_TABLE_H

/* The two tables of HPACK, one address space: RFC 7541, section 2.3. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPATE_HPACK_STATIC_ENTRIES 61
/* What an entry costs beside its bytes: section 4.1. */
#define SPATE_HPACK_ENTRY_OVERHEAD 32

/* A field's bytes; they belong to somebody else. */
typedef struct spate_hpack_field {
    const uint8_t *name;
    size_t name_length;
    const uint8_t *value;
    size_t value_length;
    bool never_indexed; /* section 6.2.3: whoever passes the field on keeps it out of every table */
} spate_hpack_field;

typedef struct spate_hpack_entry {
    uint32_t offset; /* of the name in the table's bytes; the value follows it */
    uint32_t name_length;
    uint32_t value_length;
    uint32_t hash; /* of the name */
} spate_hpack_entry;

/*
 * The dynamic table. Entry number n (counted since the table was made) is entries[n % entries_capacity]; those from
 * `inserted - count` to `inserted - 1` are alive. Their bytes lie in one piece that ends at `end`. Takes no memory while
 * it is empty.
 */
typedef struct spate_hpack_table {
    uint8_t *bytes;
    size_t capacity;
    size_t end;
    spate_hpack_entry *entries;
    uint32_t entries_capacity; /* a power of two */
    uint32_t inserted;
    uint32_t count;
    size_t size;     /* section 4.1 */
    size_t max_size; /* section 4.2 */
} spate_hpack_table;

void spate_hpack_table_free(spate_hpack_table *table);

/* Evicts what no longer fits. */
void spate_hpack_table_resize(spate_hpack_table *table, size_t max_size);

/* Index 1 is the static table's first entry. False where there is none. The field is valid until the next insert. */
bool spate_hpack_table_at(const spate_hpack_table *table, uint64_t index, spate_hpack_field *field);

/* Evicts, then inserts; a field larger than the table empties it. `field` must not lie in the table. False: no memory. */
bool spate_hpack_table_insert(spate_hpack_table *table, const spate_hpack_field *field);

/* The index of the same name and value, or 0; `*name_index` that of an entry of the same name, or 0. */
uint32_t spate_hpack_table_find(const spate_hpack_table *table, const spate_hpack_field *field, uint32_t *name_index);

#endif
