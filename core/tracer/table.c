#include "tracer/table.h"

#include <string.h>

/* The table is considered full above this load factor (in eighths), so that searches stay short. */
#define FULL_OF_8 7

bool spate_tracer_table_take(spate_tracer_table *table, void *memory, uint64_t size) {
    spate_tracer_header *header = memory;
    if (size < sizeof(*header) || memcmp(header->magic, SPATE_TRACER_MAGIC, sizeof(header->magic)) != 0 ||
        header->version != SPATE_TRACER_VERSION)
        return false;
    uint32_t count = header->slot_count;
    uint64_t entries = sizeof(*header) + (uint64_t)count * sizeof(uint32_t);
    if (count < 2 || (count & (count - 1)) != 0 || size > UINT32_MAX || entries >= size)
        return false;
    *table = (spate_tracer_table){.header = header,
                                  .slots = (void *)((char *)memory + sizeof(*header)),
                                  .slot_count = count,
                                  .entries = entries,
                                  .size = size};
    return true;
}

bool spate_tracer_table_listening(const spate_tracer_table *table) {
    return atomic_load_explicit(&table->header->listening, memory_order_acquire) != 0;
}

/* ---- paths that are not recorded ---- */

/*
 * Whether the rest of the path leads out of the directory through "..". supervisor/notice.c handles symlinks that lead
 * out.
 */
static bool leaves_folder(const char *rest, const char *end) {
    long depth = 0;
    while (rest < end) {
        while (rest < end && *rest == '/')
            rest++;
        const char *part = rest;
        while (rest < end && *rest != '/')
            rest++;
        size_t length = (size_t)(rest - part);
        if (length == 2 && part[0] == '.' && part[1] == '.')
            depth--;
        else if (length > 0 && !(length == 1 && part[0] == '.'))
            depth++;
        if (depth < 0)
            return true;
    }
    return false;
}

bool spate_tracer_table_ignored(const spate_tracer_table *table, const char *path, size_t length) {
    const char *ignored = table->header->ignored;
    uint32_t all = table->header->ignored_length;
    const char *end = ignored + (all < SPATE_TRACER_IGNORED_BYTES ? all : SPATE_TRACER_IGNORED_BYTES);
    while (ignored < end) {
        const char *stop = memchr(ignored, '\0', (size_t)(end - ignored));
        if (!stop)
            return false;
        size_t size = (size_t)(stop - ignored);
        if (size > 0 && length >= size && memcmp(path, ignored, size) == 0 && (length == size || path[size] == '/') &&
            !leaves_folder(path + size, path + length))
            return true;
        ignored = stop + 1;
    }
    return false;
}

static bool starts(const char *path, const char *prefix) {
    return strncmp(path, prefix, strlen(prefix)) == 0;
}

/* Whether this is a device that reveals nothing about the machine, or a name of an open file. */
static bool plain_device(const char *name) {
    static const char *const devices[] = {"null",  "tty",    "urandom", "random", "zero", "full",
                                          "stdin", "stdout", "stderr",  "ptmx",   "fd"};
    for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
        if (strcmp(name, devices[i]) == 0)
            return true;
    return starts(name, "fd/") || starts(name, "pts/");
}

/*
 * For "/proc/self", "/proc/thread-self" or "/proc/<number>", returns the rest of the path and sets *self to whether it
 * is the calling process. Returns NULL for other names in /proc.
 */
static const char *behind_process(const char *name, int own, bool *self) {
    static const char *const selves[] = {"self", "thread-self"};
    *self = true;
    for (size_t i = 0; i < 2; i++)
        if (starts(name, selves[i]) && (name[strlen(selves[i])] == '/' || name[strlen(selves[i])] == '\0'))
            return name + strlen(selves[i]);
    int number = 0;
    while (*name >= '0' && *name <= '9' && number < 100000000)
        number = number * 10 + (*name++ - '0');
    *self = number == own;
    return number > 0 && (*name == '/' || *name == '\0') ? name : NULL;
}

/* Whether the path continues through a process to other files: through its working directory, its root or an open
 * directory. */
static bool continues_elsewhere(const char *rest) {
    const char *part = strchr(rest + (*rest == '/'), '/');
    return starts(rest, "/cwd") || starts(rest, "/root") || starts(rest, "/task/") ||
           (starts(rest, "/fd/") && part && strchr(part + 1, '/')) || starts(rest, "/map_files/");
}

/* ---- entries ---- */

uint32_t spate_tracer_table_entry(const spate_tracer_table *table, uint32_t offset, const spate_tracer_entry **entry) {
    if (offset < table->entries || offset % 8 != 0 || offset > table->size - sizeof(spate_tracer_entry))
        return 0;
    *entry = (const void *)((const char *)table->header + offset);
    uint32_t length = (*entry)->length;
    uint64_t room = table->size - offset - sizeof(spate_tracer_entry);
    return length <= SPATE_TRACER_TEXT_MAX && length < room ? length : 0;
}

static uint32_t hash_of(const char *text, size_t length) {
    uint64_t hash = 0x9e3779b97f4a7c15u ^ length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
        text += 8;
        length -= 8;
    }
    uint64_t word = 0;
    memcpy(&word, text, length);
    hash = (hash ^ word) * 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(hash ^ (hash >> 32));
}

static void add_kind(spate_tracer_entry *entry, spate_tracer_kind kind) {
    uint64_t kinds = atomic_load_explicit(&entry->kinds, memory_order_relaxed);
    for (;;) {
        unsigned shift = 0;
        while (shift < 64 && ((kinds >> shift) & 15) != 0) {
            if (((kinds >> shift) & 15) == kind)
                return;
            shift += 4;
        }
        if (shift == 64)
            return;
        if (atomic_compare_exchange_weak(&entry->kinds, &kinds, kinds | ((uint64_t)kind << shift)))
            return;
    }
}

static void overflow(spate_tracer_table *table) {
    atomic_store(&table->header->overflowed, 1);
}

/* Returns the offset of a new entry, or 0 if the table is full. Readers do not see the entry until a slot refers to
 * it. */
static uint32_t make_entry(spate_tracer_table *table, spate_tracer_kind kind, const char *text, size_t length,
                           uint32_t hash) {
    uint64_t size = (sizeof(spate_tracer_entry) + length + 1 + 7) & ~UINT64_C(7);
    uint64_t offset = atomic_fetch_add(&table->header->used, size);
    /* Stores the size on overflow, because `used` would eventually wrap around. */
    if (offset < table->entries || offset % 8 != 0 || offset > table->size || table->size - offset < size) {
        atomic_store(&table->header->used, table->size);
        return 0;
    }
    spate_tracer_entry *entry = (void *)((char *)table->header + offset);
    entry->hash = hash;
    entry->length = (uint32_t)length;
    memcpy(entry->text, text, length);
    atomic_store_explicit(&entry->kinds, kind, memory_order_relaxed);
    return (uint32_t)offset;
}

static bool same(const spate_tracer_table *table, uint32_t offset, const char *text, size_t length, uint32_t hash) {
    const spate_tracer_entry *entry = NULL;
    return spate_tracer_table_entry(table, offset, &entry) == length && entry->hash == hash &&
           memcmp(entry->text, text, length) == 0;
}

static void insert(spate_tracer_table *table, spate_tracer_kind kind, const char *text, size_t length) {
    uint32_t hash = hash_of(text, length);
    uint32_t mask = table->slot_count - 1;
    uint32_t made = 0;
    for (uint32_t i = 0; i <= mask; i++) {
        _Atomic uint32_t *slot = &table->slots[(hash + i) & mask];
        uint32_t offset = atomic_load_explicit(slot, memory_order_acquire);
        if (offset == 0) {
            if (atomic_load(&table->header->count) >= (uint64_t)table->slot_count * FULL_OF_8 / 8)
                break;
            if (made == 0 && (made = make_entry(table, kind, text, length, hash)) == 0)
                break;
            if (atomic_compare_exchange_strong_explicit(slot, &offset, made, memory_order_acq_rel,
                                                        memory_order_acquire)) {
                atomic_fetch_add(&table->header->count, 1);
                return;
            }
        }
        if (same(table, offset, text, length, hash)) {
            add_kind((spate_tracer_entry *)((char *)table->header + offset), kind);
            return;
        }
    }
    overflow(table);
}

uint64_t spate_tracer_table_kinds(const spate_tracer_table *table, const char *path, size_t length) {
    uint32_t hash = hash_of(path, length);
    uint32_t mask = table->slot_count - 1;
    for (uint32_t i = 0; i <= mask; i++) {
        uint32_t offset = atomic_load_explicit(&table->slots[(hash + i) & mask], memory_order_acquire);
        if (offset == 0)
            break;
        if (same(table, offset, path, length, hash))
            return atomic_load(&((const spate_tracer_entry *)((const char *)table->header + offset))->kinds);
    }
    return 0;
}

/* ---- recording ---- */

static void insert_parts(spate_tracer_table *table, spate_tracer_kind kind, const char *const parts[3]) {
    char text[512];
    size_t length = 0;
    for (size_t i = 0; i < 3; i++)
        for (const char *from = parts[i]; *from && length < sizeof(text); from++)
            text[length++] = *from;
    insert(table, kind, text, length);
}

void spate_tracer_table_trouble(spate_tracer_table *table, const char *reason, const char *detail) {
    insert_parts(table, SPATE_TRACER_TROUBLE, (const char *const[]){"!", reason, detail});
}

void spate_tracer_table_hooked(spate_tracer_table *table, const char *program) {
    insert_parts(table, SPATE_TRACER_HOOKED, (const char *const[]){">", program, ""});
}

void spate_tracer_table_name(spate_tracer_table *table, const char *name) {
    char text[256] = "$";
    size_t length = strlen(name);
    if (length == 0 || strcmp(name, SPATE_TRACER_VARIABLE) == 0 || strcmp(name, "LD_PRELOAD") == 0 ||
        strcmp(name, "DYLD_INSERT_LIBRARIES") == 0)
        return;
    if (length >= sizeof(text)) {
        spate_tracer_table_trouble(table, "a long name of the environment: ", name);
        return;
    }
    memcpy(text + 1, name, length);
    insert(table, SPATE_TRACER_NAMED, text, length + 1);
}

void spate_tracer_table_path(spate_tracer_table *table, spate_tracer_kind kind, const char *path, size_t length,
                             int own) {
    if (length == 0 || path[0] != '/')
        return;
    if (length > SPATE_TRACER_TEXT_MAX) {
        spate_tracer_table_trouble(table, "a path too long: ", path);
        return;
    }
    if (spate_tracer_table_ignored(table, path, length))
        return;
    if (starts(path, "/dev/") && plain_device(path + 5))
        return;
    bool self;
    const char *rest = starts(path, "/proc/") ? behind_process(path + 6, own, &self) : NULL;
    if (rest && continues_elsewhere(rest)) {
        spate_tracer_table_trouble(table, "a path through a process: ", path);
        return;
    }
    if (rest && self && strcmp(rest, "/environ") != 0)
        return;
    insert(table, kind, path, length);
}
