#include "elf/file.h"

#include <stdlib.h>
#include <string.h>

/* Far more than any library has. Larger numbers are rejected. */
#define VERSIONS_MAX 16384
#define SYMBOLS_MAX ((uint64_t)1 << 20)
#define STRINGS_MAX ((uint64_t)64 << 20)

#define VERSION_OF_FILE 1 /* VER_FLG_BASE: names the library itself */

/* ---- names ---- */

typedef struct strings {
    char *bytes; /* followed by an added NUL */
    uint64_t length;
} strings;

static spate_status read_strings(const elf_file *lib, strings *all) {
    spate_status status;
    char *bytes = spate_elf_copy(lib, lib->strings, lib->strings_size, STRINGS_MAX, &status);
    if (!bytes)
        return status;
    all->bytes = realloc(bytes, (size_t)lib->strings_size + 1);
    if (!all->bytes) {
        free(bytes);
        return SPATE_NO_MEMORY;
    }
    all->length = lib->strings_size;
    all->bytes[all->length] = '\0';
    return SPATE_OK;
}

static const char *string_at(const strings *all, uint64_t at) {
    return at < all->length ? all->bytes + at : NULL;
}

typedef struct names {
    const char **items; /* array of `capacity` elements */
    size_t count;
    size_t capacity;
} names;

static bool add(names *all, const char *name) {
    if (!name || all->count == all->capacity)
        return false;
    all->items[all->count++] = name;
    return true;
}

static int by_text(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* ---- versions: a list of definitions, each with a list of names; the first name is the definition's own ---- */

static bool read_versions(const elf_file *lib, const strings *texts, names *all) {
    uint8_t definition[20];
    uint8_t name[8];
    uint64_t at = lib->versions;
    for (uint64_t i = 0; i < lib->version_count; i++) {
        if (!spate_elf_fetch(lib, at, definition, sizeof(definition)))
            return false;
        uint64_t names_at = at + spate_elf_number(lib, definition + 12, 4);
        if (!spate_elf_fetch(lib, names_at, name, sizeof(name)))
            return false;
        bool of_file = (spate_elf_number(lib, definition + 2, 2) & VERSION_OF_FILE) != 0;
        if (!of_file && !add(all, string_at(texts, spate_elf_number(lib, name, 4))))
            return false;
        uint64_t next = spate_elf_number(lib, definition + 16, 4);
        if (next == 0)
            break;
        at += next;
    }
    return true;
}

/* ---- symbols: their number is stored only in the hash tables ---- */

/* The last symbol is at the end of the chain of the bucket with the highest index. */
static bool count_by_gnu_hash(const elf_file *lib, uint64_t *count) {
    uint8_t header[16];
    uint8_t word[4];
    uint64_t last = 0;
    if (!spate_elf_fetch(lib, lib->gnu_hash, header, sizeof(header)))
        return false;
    uint64_t buckets = spate_elf_number(lib, header, 4);
    uint64_t first = spate_elf_number(lib, header + 4, 4);
    uint64_t at = lib->gnu_hash + 16 + spate_elf_number(lib, header + 8, 4) * (lib->wide ? 8 : 4);
    if (buckets > SYMBOLS_MAX)
        return false;
    for (uint64_t i = 0; i < buckets; i++, at += 4) {
        if (!spate_elf_fetch(lib, at, word, sizeof(word)))
            return false;
        uint64_t symbol = spate_elf_number(lib, word, 4);
        last = symbol > last ? symbol : last;
    }
    *count = first;
    if (last < first)
        return true;
    for (uint64_t symbol = last; symbol - first < SYMBOLS_MAX; symbol++) {
        if (!spate_elf_fetch(lib, at + (symbol - first) * 4, word, sizeof(word)))
            return false;
        *count = symbol + 1;
        if ((spate_elf_number(lib, word, 4) & 1) != 0)
            return true;
    }
    return false;
}

/* The words of the old hash table have 32 bits, except on these two machines. */
static int hash_width(const elf_file *lib) {
    enum { S390 = 22, ALPHA = 0x9026 };
    return lib->wide && (lib->machine == S390 || lib->machine == ALPHA) ? 8 : 4;
}

static bool count_symbols(const elf_file *lib, uint64_t *count) {
    uint8_t header[16];
    int width = hash_width(lib);
    if (lib->hash == 0)
        return lib->gnu_hash != 0 && count_by_gnu_hash(lib, count);
    if (!spate_elf_fetch(lib, lib->hash, header, (size_t)width * 2))
        return false;
    *count = spate_elf_number(lib, header + width, width);
    return true;
}

/* Whether the library defines the symbol and exports it to other objects. */
static bool is_for_others(const elf_file *lib, const uint8_t *symbol) {
    uint8_t info = symbol[lib->wide ? 4 : 12];
    uint8_t visibility = symbol[lib->wide ? 5 : 13] & 3;
    uint64_t section = spate_elf_number(lib, symbol + (lib->wide ? 6 : 14), 2);
    bool bound = info >> 4 == 1 || info >> 4 == 2 || info >> 4 == 10; /* global, weak, unique */
    return section != 0 && bound && (visibility == 0 || visibility == 3);
}

static spate_status read_symbols(const elf_file *lib, const strings *texts, names *all) {
    size_t step = lib->wide ? 24 : 16;
    uint64_t count = 0;
    spate_status status;
    if (lib->symbols == 0 || !count_symbols(lib, &count) || count > SYMBOLS_MAX)
        return SPATE_CORRUPT;
    uint8_t *symbols = spate_elf_copy(lib, lib->symbols, count * step, SYMBOLS_MAX * step, &status);
    if (!symbols)
        return status;
    all->items = malloc(((size_t)count + 1) * sizeof(*all->items));
    all->capacity = all->items ? (size_t)count : 0;
    status = all->items ? SPATE_OK : SPATE_NO_MEMORY;
    for (uint64_t i = 0; i < count && status == SPATE_OK; i++) {
        const uint8_t *symbol = symbols + i * step;
        if (is_for_others(lib, symbol) && !add(all, string_at(texts, spate_elf_number(lib, symbol, 4))))
            status = SPATE_CORRUPT;
    }
    free(symbols);
    return status;
}

/* ---- digest of the interface ---- */

static void sum(const elf_file *lib, const char *name, names *all, uint8_t out[SPATE_SHA256_LENGTH]) {
    spate_sha256 hash;
    uint8_t head[5] = {(uint8_t)(lib->wide ? 2 : 1), (uint8_t)(lib->big ? 2 : 1), (uint8_t)(lib->machine >> 8),
                       (uint8_t)lib->machine, lib->versions != 0 ? 'v' : 's'};
    qsort(all->items, all->count, sizeof(*all->items), by_text);
    spate_sha256_begin(&hash);
    spate_sha256_add(&hash, head, sizeof(head));
    spate_sha256_add(&hash, name, strlen(name) + 1);
    for (size_t i = 0; i < all->count; i++)
        spate_sha256_add(&hash, all->items[i], strlen(all->items[i]) + 1);
    spate_sha256_end(&hash, out);
}

static spate_status read_names(const elf_file *lib, const strings *texts, names *all) {
    if (lib->versions == 0)
        return read_symbols(lib, texts, all);
    if (lib->version_count > VERSIONS_MAX)
        return SPATE_CORRUPT;
    all->items = malloc(((size_t)lib->version_count + 1) * sizeof(*all->items));
    all->capacity = all->items ? (size_t)lib->version_count : 0;
    if (!all->items)
        return SPATE_NO_MEMORY;
    return read_versions(lib, texts, all) ? SPATE_OK : SPATE_CORRUPT;
}

spate_status spate_elf_promise(const spate_elf_source *source, uint8_t out[SPATE_SHA256_LENGTH]) {
    elf_window seen;
    elf_file lib = {.source = source, .window = &seen};
    strings texts = {0};
    names all = {0};
    seen.offset = seen.length = 0;
    if (!spate_elf_open(&lib))
        return SPATE_CORRUPT;
    spate_status status = read_strings(&lib, &texts);
    const char *name = status == SPATE_OK ? string_at(&texts, lib.name) : NULL;
    if (status == SPATE_OK && (!name || *name == '\0'))
        status = SPATE_CORRUPT;
    if (status == SPATE_OK)
        status = read_names(&lib, &texts, &all);
    if (status == SPATE_OK)
        sum(&lib, name, &all, out);
    free(all.items);
    free(texts.bytes);
    return status;
}
