#include "front/exec/heap.h"

#include "base/trust.h"
#include "digest/siphash.h"
#include "front/exec/expand_path.h"
#include "front/exec/memory.h"
#include "front/text.h"

#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* These constants must match Boot::BootLog and Boot::Exec::Heap. */
#define LOG_MAX (64 << 10)
#define WITH 0.5
#define LAST 5
#define WORTH 100
#define PRICE 20
#define SHARE 16
#define MOST ((uint64_t)64 << 20)
#define LEAST ((uint64_t)32 << 20)
#define MARK "SPATE_HEAP_SET"
#define KIND_MAX 160
#define KEY_DIGITS (2 * SPATE_SIPHASH_BYTES)

/* Whether the user has set variables that size the heap. They are not changed then. */
static bool sized_by_user(char *const *environment) {
    static const char *const owners[] = {"RUBY_GC_HEAP_", "RUBY_GC_MALLOC_", "RUBY_GC_OLDMALLOC_"};
    for (; *environment; environment++)
        for (size_t at = 0; at < sizeof(owners) / sizeof(*owners); at++)
            if (strncmp(*environment, owners[at], strlen(owners[at])) == 0)
                return true;
    return false;
}

static bool is_word(char letter) {
    return isalnum((unsigned char)letter) || letter == '_';
}

/* Whether the text is not empty and consists of word characters and the characters in `others`. */
static bool consists(const char *text, size_t length, const char *others) {
    for (size_t at = 0; at < length; at++)
        if (!is_word(text[at]) && !strchr(others, text[at]))
            return false;
    return length > 0;
}

bool spate_boot_kind(char *const *program, char *const *environment, char *kind, size_t capacity) {
    static const char *const names[] = {"RAILS_ENV", "RACK_ENV"};
    const char *slash = strrchr(program[0], '/');
    const char *base = slash ? slash + 1 : program[0];
    const char *mode = "";
    if (!*base)
        return false;
    for (size_t at = 0; at < sizeof(names) / sizeof(*names) && !*mode; at++) {
        const char *value = spate_variable(environment, names[at]);
        if (value && strlen(value) <= 20 && consists(value, strlen(value), ""))
            mode = value;
    }
    const char *word = program[1] ? program[1] : "";
    size_t length = strlen(base) + (program[1] ? 1 + strlen(word) : 0);
    bool shown =
        length <= 80 && consists(base, strlen(base), ":. /-") && (!*word || consists(word, strlen(word), ":. /-"));
    int all = snprintf(kind, capacity, "%s%s%s%s%s%s", base, shown && program[1] ? " " : "", shown ? word : "",
                       *mode ? " [" : "", mode, *mode ? "]" : "");
    return all > 0 && (size_t)all < capacity;
}

/* Parses a field that consists of a decimal number. */
static bool read_count(const char *field, uint64_t *value) {
    size_t digits = strspn(field, "0123456789");
    if (digits == 0 || digits > 18 || field[digits] != '\0')
        return false;
    *value = strtoull(field, NULL, 10);
    return true;
}

/* The last values of one kind of boot, oldest first. */
typedef struct series {
    uint64_t values[LAST];
    size_t count;
} series;

static void append(series *list, uint64_t value) {
    if (list->count == LAST) {
        memmove(list->values, list->values + 1, (LAST - 1) * sizeof(*list->values));
        list->count--;
    }
    list->values[list->count++] = value;
}

static int compare(const void *one, const void *other) {
    uint64_t first = *(const uint64_t *)one;
    uint64_t second = *(const uint64_t *)other;
    return (first > second) - (first < second);
}

static double median(series *list) {
    if (list->count == 0)
        return 0;
    qsort(list->values, list->count, sizeof(*list->values), compare);
    return ((double)list->values[(list->count - 1) / 2] + (double)list->values[list->count / 2]) / 2;
}

enum { TIME, KIND, ENDED, WALL, CPU, HITS, OTHERS, COLLECTED, SLOTS, PARTS };

/* Splits a line at its tabs. Returns the number of fields and sets *rest to the text after the last one. */
static size_t split(char *line, char *fields[PARTS], char **rest) {
    size_t count = 0;
    *rest = NULL;
    while (line && count < PARTS) {
        fields[count++] = line;
        line = strchr(line, '\t');
        if (line)
            *line++ = '\0';
    }
    *rest = line;
    return count;
}

/* Whether "heap" is among the parts that the boot did not use. Sets *valid to false if a part has no "=". */
static bool lacks_heap(char *parts, bool *valid) {
    bool found = false;
    while (parts) {
        char *end = strchr(parts, '\t');
        if (end)
            *end++ = '\0';
        char *sign = strchr(parts, '=');
        *valid = *valid && sign;
        found = found || strncmp(parts, "heap=", strlen("heap=")) == 0;
        parts = end;
    }
    return found;
}

static bool ends_a_boot(const char *ended) {
    return strcmp(ended, "after_initialize") == 0 || strcmp(ended, "fork") == 0 || strcmp(ended, "accept") == 0;
}

/* Reads one line of the log. Returns false if the line is not understood. */
static bool read_line(char *line, const char *kind, series *with, series *without, const char **slots) {
    char *fields[PARTS];
    char *parts;
    uint64_t hits, others, collected;
    bool valid = true;
    size_t count = split(line, fields, &parts);
    if (count <= COLLECTED || fields[COLLECTED][strspn(fields[COLLECTED], "0123456789")] != '\0' || !*fields[COLLECTED])
        return true; /* a line of a different version */
    bool plain = lacks_heap(parts, &valid);
    if (!valid || !read_count(fields[COLLECTED], &collected))
        return false;
    if (strcmp(fields[KIND], kind) != 0 || !ends_a_boot(fields[ENDED]))
        return true;
    if (!read_count(fields[HITS], &hits) || !read_count(fields[OTHERS], &others))
        return false;
    uint64_t all = hits + others > 0 ? hits + others : 1;
    if ((double)hits / (double)all < WITH)
        return true;
    append(plain ? without : with, collected);
    if (plain)
        *slots = count > SLOTS ? fields[SLOTS] : "";
    return true;
}

bool spate_read_boots(char *text, const char *kind, spate_boots *boots) {
    series with = {.count = 0};
    series without = {.count = 0};
    boots->slots = NULL;
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at >= 0x80)
            return false; /* Ruby checks whether it is valid UTF-8 */
    while (text) {
        char *end = strchr(text, '\n');
        if (end)
            *end++ = '\0';
        if (!read_line(text, kind, &with, &without, &boots->slots))
            return false;
        text = end;
    }
    boots->tried = with.count > 0;
    boots->with = median(&with);
    boots->without = median(&without);
    return true;
}

static void hex(const uint8_t hash[SPATE_SIPHASH_BYTES], char digits[KEY_DIGITS + 1]) {
    for (size_t at = 0; at < SPATE_SIPHASH_BYTES; at++)
        (void)snprintf(digits + 2 * at, 3, "%02x", hash[at]);
}

/* Computes CompileCacheFolder#application_key for the Gemfile named in the environment, or for the application in the
 * working directory. */
static bool application_key(const char *version, char *const *environment, char digits[KEY_DIGITS + 1]) {
    static const char *const names[] = {"gems.rb", "Gemfile"};
    const char *given = spate_variable(environment, "BUNDLE_GEMFILE");
    char root[PATH_MAX];
    char gemfile[PATH_MAX + 16] = "";
    struct stat info;
    if (given && *given) {
        if (*given != '/' || strlen(given) >= sizeof(root))
            return false;
        strcpy(gemfile, given);
        strcpy(root, given);
        *strrchr(root, '/') = '\0';
    } else {
        if (!getcwd(root, sizeof(root)))
            return false;
        for (bool found = false; !found;) {
            for (size_t at = 0; at < 2 && !found; at++) {
                (void)snprintf(gemfile, sizeof(gemfile), "%s/%s", strcmp(root, "/") == 0 ? "" : root, names[at]);
                found = stat(gemfile, &info) == 0 && S_ISREG(info.st_mode);
            }
            if (found)
                break;
            if (strcmp(root, "/") == 0)
                return false; /* not in an application: Ruby handles this */
            char *slash = strrchr(root, '/');
            slash[slash == root] = '\0';
        }
    }
    if (!*root)
        return false; /* the application is in "/" */
    spate_siphash hash;
    uint8_t bytes[SPATE_SIPHASH_BYTES];
    const char *parts[] = {"application", version, root, gemfile};
    spate_siphash_begin(&hash);
    for (size_t at = 0; at < sizeof(parts) / sizeof(*parts); at++)
        /* Parts are separated by a NUL. */
        spate_siphash_add(&hash, parts[at], strlen(parts[at]) + (at < 3));
    spate_siphash_end(&hash, bytes);
    hex(bytes, digits);
    return true;
}

bool spate_home(char *const *environment, char home[PATH_MAX]) {
    const char *own = spate_variable(environment, "SPATE_HOME");
    const char *cache = spate_variable(environment, "XDG_CACHE_HOME");
    const char *user = spate_variable(environment, "HOME");
    int length;
    if (own && *own)
        return *own == '/' && spate_expand_path(own, "/", home);
    if (cache && *cache == '/')
        length = snprintf(home, PATH_MAX, "%s/spate", cache);
    else if (user && *user == '/')
        length = snprintf(home, PATH_MAX, "%s/.cache/spate", user);
    else
        return false;
    return length > 0 && length < PATH_MAX;
}

/* Returns the key of this Ruby in the current locale, or NULL if the launcher has none for it. */
static const char *ruby_key(const spate_launcher *launcher) {
    (void)setlocale(LC_CTYPE, "");
    const char *charset = nl_langinfo(CODESET);
    size_t length = strlen(charset);
    for (size_t at = 0; at < launcher->key_count; at++)
        if (strncmp(launcher->keys[at], charset, length) == 0 && launcher->keys[at][length] == ' ')
            return launcher->keys[at] + length + 1;
    return NULL;
}

/* Whether the compile caches in the folder may be used: see CompileCacheFolder#refusal. */
static bool is_trusted(const char *folder, char *const *environment) {
    static const char *const names[] = {"gems", "boots", "apps"};
    const char *all = spate_variable(environment, "SPATE_TRUST_STORE");
    static spate_culprit culprit;
    char path[PATH_MAX];
    if (all && strcmp(all, "1") == 0)
        return true;
    for (size_t at = 0; at < sizeof(names) / sizeof(*names); at++) {
        int length = snprintf(path, sizeof(path), "%s/%s", folder, names[at]);
        if (length < 0 || (size_t)length >= sizeof(path) ||
            spate_trust_path(path, false, false, &culprit) != SPATE_TRUSTED)
            return false;
    }
    return true;
}

/* Reads the application's boot log. */
static bool read_log(const spate_launcher *launcher, const char *version, char *const *environment,
                     char text[LOG_MAX + 2]) {
    char home[PATH_MAX], folder[PATH_MAX], path[PATH_MAX], application[KEY_DIGITS + 1];
    const char *key = ruby_key(launcher);
    if (!key || !spate_home(environment, home) || !application_key(version, environment, application))
        return false;
    int length = snprintf(folder, sizeof(folder), "%s/store/v1/compile-cache/%s", home, key);
    if (length < 0 || (size_t)length >= sizeof(folder) || !is_trusted(folder, environment))
        return false;
    length = snprintf(path, sizeof(path), "%s/boots/%s.bootlog", folder, application);
    return length > 0 && (size_t)length < sizeof(path) && spate_read_text(path, text, LOG_MAX, false) >= 0;
}

/* Whether Ruby has separate settings for each slot size, as 3.3 and later do. Compares versions as text, like
 * Heap::SIZED. */
static bool sizes_slots(const spate_launcher *launcher) {
    return strcmp(launcher->ruby_version, "3.3") >= 0;
}

static bool set_slots(spate_environment *copy, const char *slots) {
    char names[1024] = "";
    size_t used = 0;
    if (!slots || !*slots)
        return false;
    for (unsigned pool = 0; *slots; pool++) {
        char name[64], count[24];
        size_t digits = strspn(slots, "0123456789");
        if (pool + 1 >= SPATE_HEAP_VARIABLES || digits == 0 || digits > 18 || !strchr(",", slots[digits]))
            return false;
        (void)snprintf(name, sizeof(name), "RUBY_GC_HEAP_%u_INIT_SLOTS", pool);
        (void)snprintf(count, sizeof(count), "%llu", strtoull(slots, NULL, 10));
        int length = snprintf(names + used, sizeof(names) - used, "%s%s", pool ? "," : "", name);
        if (length < 0 || (size_t)length >= sizeof(names) - used || !spate_environment_set(copy, name, count))
            return false;
        used += (size_t)length;
        slots += digits + (slots[digits] == ',');
    }
    return spate_environment_set(copy, MARK, names);
}

static bool set_limit(spate_environment *copy) {
    char bytes[24];
    uint64_t part = spate_available_memory("") / SHARE;
    if (part > MOST)
        part = MOST;
    if (part < LEAST)
        return false;
    (void)snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)part);
    return spate_environment_set(copy, "RUBY_GC_OLDMALLOC_LIMIT", bytes) &&
           spate_environment_set(copy, MARK, "RUBY_GC_OLDMALLOC_LIMIT");
}

bool spate_heap_settings(const spate_launcher *launcher, const char *version, char *const *program,
                         spate_environment *copy) {
    static char text[LOG_MAX + 2];
    char kind[KIND_MAX];
    spate_boots boots;
    const char *wish = spate_variable(copy->entries, "SPATE_HEAP");
    bool always = wish && strcmp(wish, "1") == 0;
    if ((wish && strcmp(wish, "0") == 0) || spate_variable(copy->entries, MARK) || sized_by_user(copy->entries) ||
        !spate_boot_kind(program, copy->entries, kind, sizeof(kind)) ||
        !read_log(launcher, version, copy->entries, text) || !spate_read_boots(text, kind, &boots))
        return false;
    bool gains = boots.without >= WORTH && (!boots.tried || boots.with + PRICE < boots.without);
    if (!always && !gains)
        return false;
    return sizes_slots(launcher) ? set_slots(copy, boots.slots) : set_limit(copy);
}
