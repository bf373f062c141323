/* Opens records and lists their contents. */
#include "inputs/format.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

const char *spate_input_kind_name(spate_input_kind kind) {
    static const char *const names[SPATE_INPUT_KINDS] = {
        [SPATE_INPUT_FILE] = "file",           [SPATE_INPUT_RUN] = "run",
        [SPATE_INPUT_LIBRARY] = "library",     [SPATE_INPUT_LOOKED] = "looked",
        [SPATE_INPUT_LINK] = "link",           [SPATE_INPUT_LISTED] = "listed",
        [SPATE_INPUT_ABSENT] = "absent",       [SPATE_INPUT_ENVIRONMENT] = "environment",
        [SPATE_INPUT_PROCESSOR] = "processor",
    };
    return (unsigned)kind < SPATE_INPUT_KINDS ? names[kind] : "unknown";
}

/* ---- opening ---- */

/* Takes ownership of `bytes`. */
static spate_status take(spate_inputs **record, uint8_t *bytes, size_t length, const char *name, spate_error *error) {
    spate_inputs *made = calloc(1, sizeof(*made));
    if (!made) {
        free(bytes);
        return spate_fail(error, SPATE_NO_MEMORY, name, "no memory for a record of inputs");
    }
    const char *fault = spate_inputs_fault(bytes, length, &made->tables);
    if (fault) {
        free(bytes);
        free(made);
        return spate_fail(error, SPATE_STALE, name, "record of inputs cannot be used: %s", fault);
    }
    made->bytes = bytes;
    made->length = length;
    *record = made;
    return SPATE_OK;
}

spate_status spate_inputs_parse(spate_inputs **record, const uint8_t *bytes, size_t length, spate_error *error) {
    *record = NULL;
    uint8_t *copy = malloc(length + 1);
    if (!copy)
        return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for a record of inputs");
    if (length > 0)
        memcpy(copy, bytes, length);
    return take(record, copy, length, "", error);
}

/* Reads the file instead of mapping it: truncating a mapped file would kill its readers. */
spate_status spate_inputs_open(spate_inputs **record, const char *path, spate_error *error) {
    spate_buffer file = {0};
    *record = NULL;
    spate_status status = spate_read_file(path, INPUTS_LENGTH_MAX, &file, NULL, error);
    if (status == SPATE_OK)
        return take(record, file.bytes, file.length, path, error);
    spate_buffer_free(&file);
    return status == SPATE_LIMIT || status == SPATE_CORRUPT
               ? spate_fail(error, SPATE_STALE, path, "not a record of inputs")
               : status;
}

void spate_inputs_close(spate_inputs *record) {
    if (!record)
        return;
    free(record->renewed);
    free(record->bytes);
    free(record);
}

/* ---- removing stamps ---- */

const uint8_t *spate_inputs_portable(spate_inputs *record, size_t *length) {
    const inputs_tables *t = &record->tables;
    disk_header *header = (disk_header *)(void *)record->bytes;
    disk_folder *folders = (disk_folder *)(uintptr_t)t->folders;
    disk_entry *entries = (disk_entry *)(uintptr_t)t->entries;
    for (uint32_t i = 0; i < t->folder_count; i++)
        folders[i].stamp = (disk_stamp){0};
    for (uint32_t i = 0; i < t->entry_count; i++)
        if (entries[i].kind != SPATE_INPUT_LOOKED)
            entries[i].stamp = (disk_stamp){0};
    header->checksum = LE32(spate_inputs_checksum(record->bytes, record->length));
    *length = record->length;
    return record->bytes;
}

/* ---- listing ---- */

typedef struct visit {
    const inputs_tables *tables;
    void (*call)(void *context, const spate_inputs_item *item);
    void *context;
    const disk_folder *folder;
    char path[SPATE_INPUTS_PATH_MAX];
} visit;

static const char *root_name(const inputs_tables *t, uint32_t number) {
    return number > 0 ? inputs_text(t, t->roots[number - 1]) : NULL;
}

/* Sets v->path to the path of the directory or of an entry in it. */
static bool put_path(visit *v, const char *name, size_t length) {
    const char *folder = inputs_text(v->tables, v->folder->path);
    size_t used = LE32(v->folder->path.length);
    bool itself = length == 0 || (length == 1 && name[0] == '.');
    if (used + length + 2 > sizeof(v->path))
        return false;
    memcpy(v->path, folder, used + 1);
    if (itself && used == 0)
        strcpy(v->path, ".");
    if (itself)
        return true;
    if (used > 0 && v->path[used - 1] != '/')
        v->path[used++] = '/';
    memcpy(v->path + used, name, length + 1);
    return true;
}

static bool show(visit *v, spate_inputs_item item, disk_text name) {
    if (!put_path(v, name.length ? inputs_text(v->tables, name) : "", LE32(name.length)))
        return false;
    item.root = root_name(v->tables, LE32(v->folder->root));
    item.path = v->path;
    v->call(v->context, &item);
    return true;
}

static bool show_entry(visit *v, const disk_entry *entry) {
    bool link = entry->kind == SPATE_INPUT_LINK;
    bool hashed = !link && entry->kind != SPATE_INPUT_LOOKED;
    spate_inputs_item item = {
        .kind = (spate_input_kind)entry->kind,
        .flags = entry->flags & (SPATE_INPUT_NOFOLLOW | SPATE_INPUT_MTIME | SPATE_INPUT_TYPE),
        .sha256 = hashed ? entry->sha256 : NULL,
        .target = link ? inputs_text(v->tables, entry->target) : NULL,
        .target_root = link ? root_name(v->tables, LE16(entry->target_root)) : NULL,
        .mode = LE32(entry->mode),
        .size = LE64(entry->size),
        .stamped = entry->stamp.seen_ns != 0,
    };
    return show(v, item, entry->name);
}

static bool show_folder(visit *v, const disk_entry *entries, const disk_absent *absents) {
    const disk_folder *folder = v->folder;
    bool stamped = folder->stamp.seen_ns != 0;
    spate_inputs_item listed = {.kind = SPATE_INPUT_LISTED, .sha256 = folder->listing, .stamped = stamped};
    spate_inputs_item absent = {.kind = SPATE_INPUT_ABSENT, .stamped = stamped};
    bool fits = folder->listed == 0 || show(v, listed, (disk_text){0, 0});
    for (uint32_t i = 0; i < LE32(folder->entry_count) && fits; i++)
        fits = show_entry(v, &entries[i]);
    for (uint32_t i = 0; i < LE32(folder->absent_count) && fits; i++)
        fits = show(v, absent, absents[i]);
    return fits;
}

static void show_facts(const visit *v) {
    for (uint32_t i = 0; i < v->tables->fact_count; i++) {
        const disk_fact *fact = &v->tables->facts[i];
        spate_inputs_item item = {.kind = (spate_input_kind)LE32(fact->kind),
                                  .path = inputs_text(v->tables, fact->name),
                                  .sha256 = fact->set ? fact->sha256 : NULL};
        v->call(v->context, &item);
    }
}

spate_status spate_inputs_each(const spate_inputs *record, void (*call)(void *context, const spate_inputs_item *item),
                               void *context) {
    const inputs_tables *t = &record->tables;
    const disk_entry *entries = t->entries;
    const disk_absent *absents = t->absents;
    visit v = {.tables = t, .call = call, .context = context};
    show_facts(&v);
    for (uint32_t i = 0; i < t->folder_count; i++) {
        v.folder = &t->folders[i];
        if (!show_folder(&v, entries, absents))
            return SPATE_LIMIT;
        entries += LE32(v.folder->entry_count);
        absents += LE32(v.folder->absent_count);
    }
    return SPATE_OK;
}
