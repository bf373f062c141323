/* Checks whether all inputs in a record are unchanged. */
#define _GNU_SOURCE
#include "inputs/doubts.h"
#include "inputs/plan.h"
#include "machine/processor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Marks the cached look as empty. No name has this length. */
#define NOTHING UINT32_MAX

typedef struct check {
    spate_inputs *record;
    const inputs_tables *tables;
    const spate_inputs_place *place;
    spate_inputs_memo *memo;
    spate_inputs_answer *answer;
    spate_status status;
    const disk_folder *folder;
    char path[SPATE_INPUTS_PATH_MAX]; /* path of the directory, then of the current entry */
    size_t folder_length;
    /* The last look, reused without a memo: entries of different kinds with the same name are adjacent. */
    inputs_look look;
    disk_text looked; /* name of the entry of `look` */
    bool followed;
    inputs_doubts doubts;
} check;

const char *spate_inputs_change_name(spate_inputs_change change) {
    static const char *const names[SPATE_INPUTS_CHANGES] = {
        [SPATE_INPUTS_SAME] = "same",           [SPATE_INPUTS_CONTENT] = "content",
        [SPATE_INPUTS_GONE] = "gone",           [SPATE_INPUTS_APPEARED] = "appeared",
        [SPATE_INPUTS_KIND] = "kind",           [SPATE_INPUTS_MODE] = "mode",
        [SPATE_INPUTS_SIZE] = "size",           [SPATE_INPUTS_TIME] = "time",
        [SPATE_INPUTS_LISTING] = "listing",     [SPATE_INPUTS_TARGET] = "target",
        [SPATE_INPUTS_VALUE] = "value",         [SPATE_INPUTS_LIBRARY] = "library",
        [SPATE_INPUTS_PROCESSOR] = "processor", [SPATE_INPUTS_UNREADABLE] = "unreadable",
        [SPATE_INPUTS_ROOT] = "root",
    };
    return (unsigned)change < SPATE_INPUTS_CHANGES ? names[change] : "unknown";
}

/* ---- results: returning false ends the check ---- */

static bool changed_as(check *c, spate_inputs_change change, spate_input_kind kind, const char *path, size_t length) {
    spate_inputs_answer *answer = c->answer;
    answer->change = change;
    answer->kind = kind;
    if (length >= sizeof(answer->path))
        length = sizeof(answer->path) - 1;
    memcpy(answer->path, path, length);
    answer->path[length] = '\0';
    return false;
}

/* Reports the current path. A final "/." is removed: it means the directory itself. */
static bool changed(check *c, spate_inputs_change change, spate_input_kind kind) {
    size_t length = strlen(c->path);
    if (length > 2 && strcmp(c->path + length - 2, "/.") == 0)
        length -= 2;
    return changed_as(c, change, kind, c->path, length);
}

static bool no_memory(check *c) {
    c->status = SPATE_NO_MEMORY;
    return false;
}

static bool failed(check *c, int reason, spate_input_kind kind) {
    if (reason == ENOMEM)
        return no_memory(c);
    if (inputs_means_absent(reason))
        return changed(c, SPATE_INPUTS_GONE, kind);
    if (reason == EISDIR || reason == ENOTDIR || reason == ENXIO)
        return changed(c, SPATE_INPUTS_KIND, kind);
    return changed(c, SPATE_INPUTS_UNREADABLE, kind);
}

/* Replaces a stamp in a copy of the record, so that the next check need not examine this input again. */
static bool renew(check *c, const disk_stamp *recorded, const inputs_look *look, bool hashed) {
    disk_stamp found = spate_inputs_stamp(look);
    spate_inputs *record = c->record;
    if (found.seen_ns == 0)
        return true;
    if (!record->renewed) {
        record->renewed = malloc(record->length);
        if (!record->renewed)
            return no_memory(c);
        memcpy(record->renewed, record->bytes, record->length);
    }
    memcpy(record->renewed + ((const uint8_t *)recorded - record->bytes), &found, sizeof(found));
    c->answer->renew = true;
    c->answer->hashed |= hashed;
    return true;
}

/* ---- paths and looks ---- */

static bool put(check *c, size_t *used, const char *text, size_t length) {
    if (length >= sizeof(c->path) - *used)
        return false;
    memcpy(c->path + *used, text, length);
    *used += length;
    c->path[*used] = '\0';
    return true;
}

static bool begin_folder(check *c, const disk_folder *folder) {
    const char *path = inputs_text(c->tables, folder->path);
    size_t length = LE32(folder->path.length), used = 0;
    bool fits = true;
    c->folder = folder;
    c->looked.length = NOTHING;
    if (LE32(folder->root) > 0) {
        const char *name = inputs_text(c->tables, c->tables->roots[LE32(folder->root) - 1]);
        const char *root = spate_inputs_root_path(c->place, name);
        if (!root)
            return changed_as(c, SPATE_INPUTS_ROOT, SPATE_INPUT_LOOKED, name, strlen(name));
        fits = put(c, &used, root, strlen(root)) && (length == 0 || put(c, &used, "/", 1));
    }
    if (!fits || !put(c, &used, path, length))
        return changed_as(c, SPATE_INPUTS_UNREADABLE, SPATE_INPUT_LOOKED, path, length);
    c->folder_length = used;
    return true;
}

static bool go_to(check *c, disk_text name) {
    size_t used = c->folder_length;
    bool fits = used == 0 || c->path[used - 1] == '/' || put(c, &used, "/", 1);
    fits = fits && put(c, &used, inputs_text(c->tables, name), LE32(name.length));
    return fits || changed(c, SPATE_INPUTS_UNREADABLE, SPATE_INPUT_LOOKED);
}

static inputs_look *look_at(check *c, disk_text name, bool follow) {
    if (c->memo) {
        inputs_look *known = spate_inputs_memo_look(c->memo, c->path, strlen(c->path), follow);
        if (!known)
            no_memory(c);
        return known;
    }
    bool again = c->looked.length == name.length && c->looked.at == name.at && c->followed == follow;
    if (!again)
        spate_inputs_look(c->path, follow, &c->look);
    c->looked = name;
    c->followed = follow;
    return &c->look;
}

/* ---- kinds of entries ---- */

static bool judge_content(check *c, const disk_entry *entry, const inputs_look *look, int reason) {
    inputs_digest which = inputs_digest_of(entry);
    if (reason == ENOEXEC)
        return changed(c, SPATE_INPUTS_LIBRARY, entry->kind);
    if (reason != 0)
        return failed(c, reason, entry->kind);
    if (memcmp(look->digests[which], entry->sha256, SPATE_SHA256_LENGTH) != 0)
        return changed(c, which == INPUTS_PROMISE ? SPATE_INPUTS_LIBRARY : SPATE_INPUTS_CONTENT, entry->kind);
    return spate_inputs_proves(&entry->stamp, look) || renew(c, &entry->stamp, look, true);
}

static bool check_content(check *c, const disk_entry *entry) {
    inputs_digest which = inputs_digest_of(entry);
    inputs_look *look = look_at(c, entry->name, (entry->flags & SPATE_INPUT_NOFOLLOW) == 0);
    if (!look)
        return false;
    if (look->reason != 0)
        return failed(c, look->reason, entry->kind);
    if (!S_ISREG(look->mode))
        return changed(c, SPATE_INPUTS_KIND, entry->kind);
    if (!c->place->thorough && spate_inputs_proves(&entry->stamp, look))
        return true;
    if (which == INPUTS_CONTENT && look->size != LE64(entry->size))
        return changed(c, SPATE_INPUTS_CONTENT, entry->kind);
    if (((look->mode ^ LE32(entry->mode)) & S_IRWXU) != 0)
        return changed(c, SPATE_INPUTS_MODE, entry->kind);
    if ((look->known & 1 << which) != 0)
        return judge_content(c, entry, look, 0);
    return spate_inputs_doubt(&c->doubts, entry, c->path, look, c->memo != NULL) || no_memory(c);
}

static bool check_doubts(check *c) {
    if (c->doubts.count > 0 && spate_inputs_doubts_take(&c->doubts) != SPATE_OK)
        return no_memory(c);
    for (size_t i = 0; i < c->doubts.count; i++) {
        inputs_doubt *doubt = &c->doubts.items[i];
        if (doubt->skipped)
            continue;
        if (doubt->memo)
            *doubt->memo = doubt->look;
        strcpy(c->path, doubt->path);
        if (!judge_content(c, doubt->entry, &doubt->look, doubt->reason))
            return false;
    }
    return true;
}

static bool check_looked(check *c, const disk_entry *entry) {
    const inputs_look *look = look_at(c, entry->name, (entry->flags & SPATE_INPUT_NOFOLLOW) == 0);
    if (!look)
        return false;
    if ((entry->flags & ENTRY_DENIED) != 0)
        return look->reason == EACCES || changed(c, SPATE_INPUTS_MODE, entry->kind);
    if (look->reason != 0)
        return failed(c, look->reason, entry->kind);
    if (((look->mode ^ LE32(entry->mode)) & S_IFMT) != 0)
        return changed(c, SPATE_INPUTS_KIND, entry->kind);
    if ((entry->flags & SPATE_INPUT_TYPE) != 0)
        return true;
    if (look->mode != LE32(entry->mode))
        return changed(c, SPATE_INPUTS_MODE, entry->kind);
    if (S_ISREG(look->mode) && look->size != LE64(entry->size))
        return changed(c, SPATE_INPUTS_SIZE, entry->kind);
    if ((entry->flags & SPATE_INPUT_MTIME) != 0 && c->place->thorough && S_ISDIR(look->mode)) {
        /* When a build is traced, the recorded times of directories are those of a listing, so list it here too. */
        inputs_look names = *look;
        (void)spate_inputs_digest(c->path, true, INPUTS_NAMES, &names);
    }
    if ((entry->flags & SPATE_INPUT_MTIME) != 0 && look->stamp.mtime_ns != (int64_t)LE64(entry->stamp.mtime_ns))
        return changed(c, SPATE_INPUTS_TIME, entry->kind);
    return true;
}

static bool check_link(check *c, const disk_entry *entry) {
    char target[SPATE_INPUTS_PATH_MAX];
    const char *expected = inputs_text(c->tables, entry->target);
    const char *root = NULL;
    size_t length;
    int reason = spate_inputs_target(c->path, target, &length);
    if (reason == EINVAL)
        return changed(c, SPATE_INPUTS_KIND, entry->kind);
    if (reason != 0)
        return failed(c, reason, entry->kind);
    if (LE16(entry->target_root) > 0) {
        const char *name = inputs_text(c->tables, c->tables->roots[LE16(entry->target_root) - 1]);
        root = spate_inputs_root_path(c->place, name);
        if (!root)
            return changed_as(c, SPATE_INPUTS_ROOT, entry->kind, name, strlen(name));
    }
    return spate_inputs_is_below(target, root, expected) || changed(c, SPATE_INPUTS_TARGET, entry->kind);
}

static bool check_entry(check *c, const disk_entry *entry) {
    if (!go_to(c, entry->name))
        return false;
    switch (entry->kind) {
    case SPATE_INPUT_LINK: return check_link(c, entry);
    case SPATE_INPUT_LOOKED: return check_looked(c, entry);
    default: return check_content(c, entry);
    }
}

/* ---- directories ---- */

static bool check_names(check *c, inputs_look *look) {
    int reason = spate_inputs_digest(c->path, true, INPUTS_NAMES, look);
    if (reason != 0)
        return failed(c, reason, SPATE_INPUT_LISTED);
    if (memcmp(look->digests[INPUTS_NAMES], c->folder->listing, SPATE_SHA256_LENGTH) != 0)
        return changed(c, SPATE_INPUTS_LISTING, SPATE_INPUT_LISTED);
    return true;
}

/* Sets *since to the time of the earliest look at one of the names. With a memo it may be before the look at the
 * directory. */
static bool check_absents(check *c, const disk_absent *absents, int64_t *since) {
    for (uint32_t i = 0; i < LE32(c->folder->absent_count); i++) {
        if (!go_to(c, absents[i]))
            return false;
        const inputs_look *look = look_at(c, absents[i], false);
        if (!look)
            return false;
        if (look->reason == 0)
            return changed(c, SPATE_INPUTS_APPEARED, SPATE_INPUT_ABSENT);
        if (!inputs_means_absent(look->reason) && look->reason != EACCES)
            return failed(c, look->reason, SPATE_INPUT_ABSENT);
        if (look->reason == EACCES)
            *since = INT64_MIN; /* the directory's stamp cannot prove an absence that is due to EACCES */
        else if (look->stamp.seen_ns < *since)
            *since = look->stamp.seen_ns;
    }
    return true;
}

/* A valid stamp of the directory proves the listing and all absences. */
static bool check_folder(check *c, const disk_absent *absents) {
    const disk_folder *folder = c->folder;
    bool listed = folder->listed != 0;
    if (!listed && folder->absent_count == 0)
        return true;
    inputs_look *known = look_at(c, (disk_text){0, 0}, true);
    if (!known)
        return false;
    bool proven = known->reason == 0 && S_ISDIR(known->mode) && spate_inputs_proves(&folder->stamp, known);
    if (proven && !c->place->thorough)
        return true;
    /* A missing directory has no entries. A directory that this user may not search is treated the same way. */
    bool empty =
        known->reason == 0 ? !S_ISDIR(known->mode) : inputs_means_absent(known->reason) || known->reason == EACCES;
    if (empty && !listed)
        return true;
    if (known->reason != 0)
        return failed(c, known->reason, SPATE_INPUT_LISTED);
    if (!S_ISDIR(known->mode))
        return changed(c, SPATE_INPUTS_KIND, SPATE_INPUT_LISTED);
    if (listed && !check_names(c, known))
        return false;
    inputs_look before = *known;
    int64_t since = INT64_MAX;
    if (!check_absents(c, absents, &since))
        return false;
    /* If a name was looked up before the directory, the directory's stamp does not prove that the name is still
     * missing. */
    return proven || since < before.stamp.seen_ns || renew(c, &folder->stamp, &before, false);
}

static bool check_folders(check *c) {
    const disk_entry *entries = c->tables->entries;
    const disk_absent *absents = c->tables->absents;
    for (uint32_t i = 0; i < c->tables->folder_count; i++) {
        const disk_folder *folder = &c->tables->folders[i];
        uint32_t count = LE32(folder->entry_count);
        if (!begin_folder(c, folder) || !check_folder(c, absents))
            return false;
        for (uint32_t k = 0; k < count; k++)
            if (!check_entry(c, &entries[k]))
                return false;
        entries += count;
        absents += LE32(folder->absent_count);
    }
    return true;
}

/* ---- environment and processor ---- */

static bool check_variable(check *c, const disk_fact *fact) {
    const char *name = inputs_text(c->tables, fact->name);
    const char *value = spate_inputs_value(c->place, name);
    if (c->place->thorough)
        (void)getenv(name); /* for the trace only: the value comes from `place`, not from this process */
    uint8_t digest[SPATE_SHA256_LENGTH];
    bool same = (value != NULL) == (fact->set != 0);
    if (same && value) {
        spate_sha256_of(value, strlen(value), digest);
        same = memcmp(digest, fact->sha256, sizeof(digest)) == 0;
    }
    return same || changed_as(c, SPATE_INPUTS_VALUE, SPATE_INPUT_ENVIRONMENT, name, strlen(name));
}

static bool check_processor(check *c, const disk_fact *fact) {
    uint8_t digest[SPATE_SHA256_LENGTH];
    spate_status status = c->memo ? spate_inputs_memo_processor(c->memo, c->place->processor, digest)
                                  : spate_processor(c->place->processor, digest);
    if (status == SPATE_NO_MEMORY)
        return no_memory(c);
    bool same = status == SPATE_OK && memcmp(digest, fact->sha256, sizeof(digest)) == 0;
    return same || changed_as(c, SPATE_INPUTS_PROCESSOR, SPATE_INPUT_PROCESSOR, "", 0);
}

static bool check_facts(check *c) {
    for (uint32_t i = 0; i < c->tables->fact_count; i++) {
        const disk_fact *fact = &c->tables->facts[i];
        bool variable = LE32(fact->kind) == SPATE_INPUT_ENVIRONMENT;
        if (!(variable ? check_variable(c, fact) : check_processor(c, fact)))
            return false;
    }
    return true;
}

spate_status spate_inputs_check(spate_inputs *record, const spate_inputs_place *place, spate_inputs_memo *memo,
                                spate_inputs_answer *answer) {
    check c = {.record = record, .tables = &record->tables, .place = place, .memo = memo, .answer = answer};
    answer->change = SPATE_INPUTS_SAME;
    answer->renew = answer->hashed = false;
    answer->path[0] = '\0';
    free(record->renewed);
    record->renewed = NULL;
    if (memo)
        spate_inputs_memo_lock(memo);
    bool holds = check_facts(&c) && check_folders(&c) && check_doubts(&c);
    if (memo)
        spate_inputs_memo_unlock(memo);
    spate_inputs_doubts_free(&c.doubts);
    if (!holds)
        answer->renew = answer->hashed = false;
    return c.status;
}

spate_status spate_inputs_renew(spate_inputs *record, const char *path, spate_error *error) {
    if (!record->renewed)
        return spate_fail(error, SPATE_STALE, path, "there is nothing to renew");
    return spate_inputs_store(path, record->renewed, record->length, error);
}
