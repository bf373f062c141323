/* Growing lists, texts and hash tables of a resolver. Sizes stay below 2^32, since numbers have 32 bits. */
#include "load_path_cache/resolve/inner.h"

static void *grow(void *items, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity)
        return items;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    while (wanted < count)
        wanted *= 2;
    void *grown = realloc(items, wanted * size);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

bool spate_resolver_ensure(void **items, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) /* also for 0 items in an empty list */
        return true;
    void *grown = count < UINT32_MAX ? grow(*items, capacity, count, size) : NULL;
    if (grown == NULL)
        return false;
    *items = grown;
    return true;
}

uint32_t spate_resolver_keep_text(spate_resolver *r, const char *text, size_t length) {
    if (!ROOM(r, texts, length + 1))
        return NONE;
    uint32_t at = (uint32_t)r->texts.count;
    memcpy(r->texts.at + at, text, length);
    r->texts.at[at + length] = '\0';
    r->texts.count += length + 1;
    return at;
}

bool spate_table_room(spate_resolver *r, table *t, size_t numbers, spread_of spread) {
    if ((t->used + 1) * 2 <= t->count)
        return true;
    size_t count = t->count ? t->count * 2 : 256;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return r->out_of_memory = true, false;
    for (uint32_t i = 0; i < numbers; i++) {
        size_t slot = spread(r, i) & (count - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        slots[slot] = i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->count = count;
    return true;
}

void spate_table_put(table *t, uint32_t spread, uint32_t number) {
    size_t slot = spread & (t->count - 1);
    while (t->slots[slot] != 0)
        slot = (slot + 1) & (t->count - 1);
    t->slots[slot] = number + 1;
    t->used++;
}
