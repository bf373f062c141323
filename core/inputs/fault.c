/* Validates a record: version, length, checksum, section bounds, order. */
#include "inputs/format.h"

#include "base/bounds.h"
#include "digest/crc32c.h"

#include <string.h>

#define CHECKED_FROM offsetof(disk_header, file_length)
#define ENTRY_FLAGS (SPATE_INPUT_NOFOLLOW | SPATE_INPUT_MTIME | SPATE_INPUT_TYPE | ENTRY_ELF | ENTRY_DENIED)

uint32_t spate_inputs_checksum(const uint8_t *bytes, size_t length) {
    return spate_crc32c(0, bytes + CHECKED_FROM, length - CHECKED_FROM);
}

static bool text_fits(const inputs_tables *t, disk_text text) {
    return LE32(text.length) < SPATE_INPUTS_PATH_MAX &&
           spate_text_inside(t->strings, t->strings_length, LE32(text.at), LE32(text.length));
}

static bool name_fits(const inputs_tables *t, disk_text name) {
    return text_fits(t, name) && LE32(name.length) > 0 && !strchr(inputs_text(t, name), '/');
}

/* A path below a root must not leave it, because what surrounds a root differs between machines. */
static bool path_fits(const inputs_tables *t, uint32_t root, disk_text path) {
    if (root > t->root_count || !text_fits(t, path))
        return false;
    const char *text = inputs_text(t, path);
    return root == 0 ? text[0] == '/' : text[0] != '/' && !spate_climbs(text);
}

static bool target_fits(const inputs_tables *t, const disk_entry *entry) {
    if (LE16(entry->target_root) > 0)
        return path_fits(t, LE16(entry->target_root), entry->target);
    return text_fits(t, entry->target);
}

static const char *entry_fault(const inputs_tables *t, const disk_entry *entry, const disk_entry *before) {
    if (entry->kind > SPATE_INPUT_LINK || (entry->flags & ~ENTRY_FLAGS) != 0)
        return "an entry of unknown kind";
    if (!name_fits(t, entry->name) || !target_fits(t, entry))
        return "an entry's string outside of the strings";
    if (before && strcmp(inputs_text(t, before->name), inputs_text(t, entry->name)) > 0)
        return "entries out of order";
    return NULL;
}

static const char *folder_fault(const inputs_tables *t, const disk_folder *folder, uint32_t entries, uint32_t absents) {
    const char *fault = NULL;
    if (!path_fits(t, LE32(folder->root), folder->path) || LE32(folder->listed) > 1)
        return "an invalid folder";
    if (LE32(folder->entry_count) > t->entry_count - entries || LE32(folder->absent_count) > t->absent_count - absents)
        return "a folder with too many entries";
    for (uint32_t i = 0; i < LE32(folder->entry_count) && !fault; i++)
        fault = entry_fault(t, &t->entries[entries + i], i > 0 ? &t->entries[entries + i - 1] : NULL);
    for (uint32_t i = 0; i < LE32(folder->absent_count) && !fault; i++)
        fault = name_fits(t, t->absents[absents + i]) ? NULL : "an invalid absent name";
    return fault;
}

static bool in_order(const inputs_tables *t, const disk_folder *left, const disk_folder *right) {
    if (LE32(left->root) != LE32(right->root))
        return LE32(left->root) < LE32(right->root);
    return strcmp(inputs_text(t, left->path), inputs_text(t, right->path)) < 0;
}

static const char *folders_fault(const inputs_tables *t) {
    uint32_t entries = 0, absents = 0;
    for (uint32_t i = 0; i < t->folder_count; i++) {
        const disk_folder *folder = &t->folders[i];
        const char *fault = folder_fault(t, folder, entries, absents);
        if (fault)
            return fault;
        if (i > 0 && !in_order(t, folder - 1, folder))
            return "folders out of order";
        entries += LE32(folder->entry_count);
        absents += LE32(folder->absent_count);
    }
    return entries == t->entry_count && absents == t->absent_count ? NULL : "an entry in no folder";
}

static const char *facts_fault(const inputs_tables *t) {
    for (uint32_t i = 0; i < t->root_count; i++)
        if (!name_fits(t, t->roots[i]))
            return "an invalid root";
    for (uint32_t i = 0; i < t->fact_count; i++) {
        uint32_t kind = LE32(t->facts[i].kind);
        if ((kind != SPATE_INPUT_ENVIRONMENT && kind != SPATE_INPUT_PROCESSOR) || LE32(t->facts[i].set) > 1 ||
            !text_fits(t, t->facts[i].name))
            return "an invalid fact";
    }
    return NULL;
}

/* The counts have 32 bits and the sizes are small, so the sum cannot overflow. */
static bool lay_out(inputs_tables *t, const uint8_t *bytes, size_t length) {
    const disk_header *header = (const disk_header *)(const void *)bytes;
    uint64_t at = sizeof(*header);
    *t = (inputs_tables){.header = header,
                         .root_count = LE32(header->root_count),
                         .folder_count = LE32(header->folder_count),
                         .entry_count = LE32(header->entry_count),
                         .absent_count = LE32(header->absent_count),
                         .fact_count = LE32(header->fact_count),
                         .strings_length = LE64(header->strings_length)};
    uint64_t roots = at, folders = roots + t->root_count * (uint64_t)sizeof(*t->roots);
    uint64_t entries = folders + t->folder_count * (uint64_t)sizeof(*t->folders);
    uint64_t facts = entries + t->entry_count * (uint64_t)sizeof(*t->entries);
    uint64_t absents = facts + t->fact_count * (uint64_t)sizeof(*t->facts);
    uint64_t strings = absents + t->absent_count * (uint64_t)sizeof(*t->absents);
    if (strings > length || t->strings_length != length - strings)
        return false;
    t->roots = (const disk_text *)(const void *)(bytes + roots);
    t->folders = (const disk_folder *)(const void *)(bytes + folders);
    t->entries = (const disk_entry *)(const void *)(bytes + entries);
    t->facts = (const disk_fact *)(const void *)(bytes + facts);
    t->absents = (const disk_absent *)(const void *)(bytes + absents);
    t->strings = (const char *)bytes + strings;
    return true;
}

const char *spate_inputs_fault(const uint8_t *bytes, size_t length, inputs_tables *tables) {
    disk_header header;
    if (length < sizeof(header))
        return "shorter than a header";
    memcpy(&header, bytes, sizeof(header));
    if (memcmp(header.magic, INPUTS_MAGIC, sizeof(header.magic)) != 0)
        return "not a record of inputs";
    if (LE32(header.version) != SPATE_INPUTS_VERSION || LE32(header.header_length) != sizeof(header))
        return "a record of another version";
    if (LE64(header.file_length) != length)
        return "its length differs";
    if (LE32(header.checksum) != spate_inputs_checksum(bytes, length))
        return "its checksum differs";
    if (!lay_out(tables, bytes, length))
        return "a section outside of the file";
    const char *fault = facts_fault(tables);
    return fault ? fault : folders_fault(tables);
}
