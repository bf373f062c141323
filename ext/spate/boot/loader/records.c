#include "native.h"

/* Limits the memory use of a server that reloads edited files for days. */
#define MOST_RECORDS ((size_t)1 << 16)

/* The loaded files in order. A record takes 24 bytes; Ruby objects are created on request. */
typedef struct record {
    const char *path;
    uint32_t length;
    uint8_t outcome;
    bool owned;
} record;

typedef struct problem {
    char *path;
    const char *reason;
} problem;

static bool recording;
static record *records;
static size_t record_count;
static size_t record_capacity;
static unsigned long long counts[SPATE_OUTCOMES];
static problem *problems;
static size_t problem_count;
static VALUE symbols[SPATE_OUTCOMES];

VALUE spate_outcome_symbol(spate_outcome outcome) {
    return symbols[outcome];
}

static bool room_for_record(void) {
    if (record_count < record_capacity)
        return true;
    if (record_count >= MOST_RECORDS)
        return false;
    size_t capacity = record_capacity ? record_capacity * 2 : 1024;
    record *grown = realloc(records, capacity * sizeof(*grown));
    if (!grown)
        return false;
    records = grown;
    record_capacity = capacity;
    return true;
}

/* If out of memory, the record is omitted; the boot must not fail. */
void spate_record(const char *path, size_t length, bool lasting, spate_outcome outcome) {
    counts[outcome]++;
    if (!recording || !room_for_record())
        return;
    if (!lasting) {
        char *copy = malloc(length);
        if (!copy)
            return;
        path = memcpy(copy, path, length);
    }
    records[record_count++] =
        (record){.path = path, .length = (uint32_t)length, .outcome = (uint8_t)outcome, .owned = !lasting};
}

void spate_record_problem(const char *compile_cache_path, const char *reason) {
    for (size_t i = 0; i < problem_count; i++)
        if (strcmp(problems[i].path, compile_cache_path) == 0)
            return;
    problem *grown = realloc(problems, (problem_count + 1) * sizeof(*grown));
    if (!grown)
        return;
    problems = grown;
    char *copy = strdup(compile_cache_path);
    if (copy)
        problems[problem_count++] = (problem){.path = copy, .reason = reason};
}

void spate_records_clear(void) {
    for (size_t i = 0; i < record_count; i++)
        if (records[i].owned)
            free((void *)(uintptr_t)records[i].path);
    for (size_t i = 0; i < problem_count; i++)
        free(problems[i].path);
    record_count = 0;
    problem_count = 0;
    memset(counts, 0, sizeof(counts));
}

/* Whether each file that Ruby requests is recorded. Initially false. */
static VALUE loader_recording(VALUE self) {
    return recording ? Qtrue : Qfalse;
}

static VALUE loader_set_recording(VALUE self, VALUE wanted) {
    recording = RTEST(wanted);
    return wanted;
}

/* Returns [[path, outcome], ...] in the order of Ruby's requests, since recording was enabled. */
static VALUE loader_recorded(VALUE self) {
    VALUE list = rb_ary_new_capa((long)record_count);
    for (size_t i = 0; i < record_count; i++) {
        VALUE path = spate_utf8(records[i].path, records[i].length);
        rb_ary_push(list, rb_assoc_new(path, symbols[records[i].outcome]));
    }
    return list;
}

/* Returns {hit:, miss:, stale:, revalidated:, damaged:, warns:}: the number of files with each outcome in this
 * process. */
static VALUE loader_counts(VALUE self) {
    VALUE hash = rb_hash_new();
    for (int i = 0; i < SPATE_OUTCOMES; i++)
        rb_hash_aset(hash, symbols[i], ULL2NUM(counts[i]));
    return hash;
}

/* Returns [[compile cache path, reason], ...] for existing compile caches that are unusable or have a damaged blob. */
static VALUE loader_problems(VALUE self) {
    VALUE list = rb_ary_new();
    for (size_t i = 0; i < problem_count; i++) {
        VALUE path = spate_utf8(problems[i].path, strlen(problems[i].path));
        rb_ary_push(list, rb_assoc_new(path, ID2SYM(rb_intern(problems[i].reason))));
    }
    return list;
}

void spate_init_records(VALUE loader) {
    static const char *const names[] = {"hit", "miss", "stale", "revalidated", "damaged", "warns"};
    for (int i = 0; i < SPATE_OUTCOMES; i++)
        symbols[i] = ID2SYM(rb_intern(names[i]));
    rb_define_singleton_method(loader, "recording", loader_recording, 0);
    rb_define_singleton_method(loader, "recording=", loader_set_recording, 1);
    rb_define_singleton_method(loader, "recorded", loader_recorded, 0);
    rb_define_singleton_method(loader, "counts", loader_counts, 0);
    rb_define_singleton_method(loader, "problems", loader_problems, 0);
}
