/* Writes a record of inputs, from a plan that take.c has filled in. */
#include "inputs/plan.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

/* Maps root indexes of a spate_inputs_place to those of the record. The record contains only roots that are in use. */
typedef struct used_roots {
    uint32_t number[256]; /* from the index in the place + 1 to the index in the record + 1; 0 if the root is not
                           * used */
    uint32_t count;
} used_roots;

typedef struct output {
    uint8_t *bytes;
    disk_text *roots;
    disk_folder *folders;
    disk_entry *entries;
    disk_fact *facts;
    disk_absent *absents;
    char *strings;
    size_t used; /* number of bytes used in `strings` */
    const used_roots *numbers;
} output;

static used_roots find_roots(const inputs_plan *plan) {
    used_roots roots = {0};
    for (size_t i = 0; i < plan->count; i++) {
        roots.number[plan->items[i].root] = 1;
        roots.number[plan->items[i].target_root] = 1;
    }
    roots.number[0] = 0;
    for (size_t i = 1; i <= plan->place->root_count; i++)
        if (roots.number[i] != 0)
            roots.number[i] = ++roots.count;
    return roots;
}

static size_t strings_length(const inputs_plan *plan, const used_roots *roots) {
    size_t length = 0;
    for (size_t i = 0; i < plan->place->root_count; i++)
        if (roots->number[i + 1] != 0)
            length += strlen(plan->place->roots[i].name) + 1;
    for (size_t i = 0; i < plan->group_count; i++)
        length += strlen(plan->groups[i].first->folder) + 1;
    for (size_t i = 0; i < plan->count; i++) {
        const inputs_planned *item = &plan->items[i];
        length += strlen(item->name) + 1 + (item->target ? strlen(item->target_rest) + 1 : 0);
    }
    for (size_t i = 0; i < plan->fact_count; i++)
        length += strlen(plan->facts[i].name) + 1;
    return length + 1; /* the empty string at offset 0, shared by all empty texts */
}

static disk_text put(output *out, const char *text) {
    size_t length = strlen(text);
    disk_text made = {LE32((uint32_t)out->used), LE32((uint32_t)length)};
    if (length == 0)
        return (disk_text){0, 0};
    memcpy(out->strings + out->used, text, length + 1);
    out->used += length + 1;
    return made;
}

/* Entries of different kinds with the same path share one text, so that a check calls stat only once for them. */
static disk_text put_name(output *out, const inputs_planned *item, const inputs_planned *before,
                          const disk_entry *last) {
    bool same = before && before->kind != SPATE_INPUT_LISTED && strcmp(before->name, item->name) == 0;
    return same ? last->name : put(out, item->name);
}

static void put_item(output *out, const inputs_planned *item, const inputs_planned *before) {
    if (item->kind == SPATE_INPUT_LISTED)
        return;
    if (item->kind == SPATE_INPUT_ABSENT) {
        *out->absents++ = put(out, item->name);
        return;
    }
    disk_entry *entry = out->entries++;
    *entry = item->entry;
    entry->mode = LE32(entry->mode);
    entry->size = LE64(entry->size);
    entry->name = put_name(out, item, before, entry - 1);
    if (item->target) {
        entry->target = put(out, item->target_rest);
        entry->target_root = LE16((uint16_t)out->numbers->number[item->target_root]);
    }
}

static void put_group(output *out, const inputs_group *group) {
    disk_folder *folder = out->folders++;
    *folder = group->folder;
    folder->root = LE32(out->numbers->number[group->first->root]);
    folder->path = put(out, group->first->folder);
    folder->listed = LE32(group->listed ? 1 : 0);
    folder->absent_count = LE32((uint32_t)group->absent_count);
    folder->entry_count = LE32((uint32_t)(group->count - group->absent_count - (group->listed ? 1 : 0)));
    for (size_t i = 0; i < group->count; i++)
        put_item(out, &group->first[i], i > 0 ? &group->first[i - 1] : NULL);
}

static void put_fact(output *out, const inputs_fact *fact) {
    disk_fact *to = out->facts++;
    memcpy(to->sha256, fact->sha256, sizeof(to->sha256));
    to->name = put(out, fact->name);
    to->kind = LE32((uint32_t)fact->kind);
    to->set = LE32(fact->set ? 1 : 0);
}

static disk_header header_of(const inputs_plan *plan, const used_roots *roots, size_t strings) {
    size_t absents = 0, listed = 0;
    disk_header header = {
        .version = LE32(SPATE_INPUTS_VERSION),
        .header_length = LE32(sizeof(disk_header)),
        .root_count = LE32(roots->count),
        .folder_count = LE32((uint32_t)plan->group_count),
        .fact_count = LE32((uint32_t)plan->fact_count),
        .strings_length = LE64(strings),
    };
    for (size_t i = 0; i < plan->group_count; i++) {
        absents += plan->groups[i].absent_count;
        listed += plan->groups[i].listed;
    }
    memcpy(header.magic, INPUTS_MAGIC, sizeof(header.magic));
    header.absent_count = LE32((uint32_t)absents);
    header.entry_count = LE32((uint32_t)(plan->count - absents - listed));
    return header;
}

/* Allocates the record, copies the header and sets the section pointers. Returns false if out of memory. */
static bool lay_out(output *out, const disk_header *header, size_t *length) {
    size_t roots = sizeof(*header);
    size_t folders = roots + LE32(header->root_count) * sizeof(*out->roots);
    size_t entries = folders + LE32(header->folder_count) * sizeof(*out->folders);
    size_t facts = entries + LE32(header->entry_count) * sizeof(*out->entries);
    size_t absents = facts + LE32(header->fact_count) * sizeof(*out->facts);
    size_t strings = absents + LE32(header->absent_count) * sizeof(*out->absents);
    *length = strings + (size_t)LE64(header->strings_length);
    out->bytes = calloc(1, *length);
    if (!out->bytes)
        return false;
    memcpy(out->bytes, header, sizeof(*header));
    out->roots = (disk_text *)(void *)(out->bytes + roots);
    out->folders = (disk_folder *)(void *)(out->bytes + folders);
    out->entries = (disk_entry *)(void *)(out->bytes + entries);
    out->facts = (disk_fact *)(void *)(out->bytes + facts);
    out->absents = (disk_absent *)(void *)(out->bytes + absents);
    out->strings = (char *)out->bytes + strings;
    out->used = 1;
    return true;
}

static void fill(output *out, const inputs_plan *plan) {
    for (size_t i = 0; i < plan->place->root_count; i++)
        if (out->numbers->number[i + 1] != 0)
            *out->roots++ = put(out, plan->place->roots[i].name);
    for (size_t i = 0; i < plan->group_count; i++)
        put_group(out, &plan->groups[i]);
    for (size_t i = 0; i < plan->fact_count; i++)
        put_fact(out, &plan->facts[i]);
}

spate_status spate_inputs_store(const char *path, uint8_t *bytes, size_t length, spate_error *error) {
    disk_header *header = (disk_header *)(void *)bytes;
    header->file_length = LE64(length);
    header->checksum = LE32(spate_inputs_checksum(bytes, length));
    return spate_write_file(path, bytes, length, error);
}

static spate_status write_plan(const char *path, const inputs_plan *plan, spate_error *error) {
    used_roots roots = find_roots(plan);
    size_t strings = strings_length(plan, &roots);
    size_t length;
    if (plan->count >= UINT32_MAX / 2 || strings >= UINT32_MAX)
        return spate_fail(error, SPATE_LIMIT, path, "%zu inputs are too many", plan->count);
    disk_header header = header_of(plan, &roots, strings);
    output out = {.numbers = &roots};
    if (!lay_out(&out, &header, &length))
        return spate_fail(error, SPATE_NO_MEMORY, path, "no memory for %zu inputs", plan->count);
    fill(&out, plan);
    spate_status status = length > INPUTS_LENGTH_MAX
                              ? spate_fail(error, SPATE_LIMIT, path, "%zu inputs are too many", plan->count)
                              : spate_inputs_store(path, out.bytes, length, error);
    free(out.bytes);
    return status;
}

spate_status spate_inputs_write(const char *path, const spate_input *inputs, size_t count,
                                const spate_inputs_place *place, const spate_inputs_options *options,
                                const spate_cancel *cancel, spate_error *error) {
    inputs_plan plan = {0};
    spate_status status = spate_inputs_plan(&plan, inputs, count, place, error);
    if (status == SPATE_OK)
        status = spate_inputs_take(&plan, options, cancel, error);
    if (status == SPATE_OK)
        status = write_plan(path, &plan, error);
    spate_inputs_plan_free(&plan);
    return status;
}
