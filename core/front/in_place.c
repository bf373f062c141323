#define _GNU_SOURCE
#include "front/in_place.h"

#include "base/descriptor.h"
#include "base/file.h"
#include "base/times.h"
#include "base/trust.h"
#include "digest/crc32c.h"
#include "digest/siphash.h"
#include "front/exec/environment_block.h"
#include "front/exec/heap.h"
#include "front/in_place_record.h"
#include "front/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define MOUNTS "/proc/self/mountinfo"
#define STATUS "/proc/self/status"
#define STATE_MAX (256 << 10)
#define FOLDER "/store/v1/in-place"
#define KEY_DIGITS (2 * SPATE_SIPHASH_BYTES)
/* Minimum number of marks for which a second thread is worth its cost. */
#define MANY 500
#define FEW 2

/* Pointers into a record, set by parse(). */
typedef struct place_record {
    const spate_in_place_header *header;
    const spate_in_place_folder *folders;
    const spate_in_place_mark *marks;
    const char *text;
} place_record;

static bool parse(place_record *record, const uint8_t *bytes, size_t length) {
    const spate_in_place_header *header = (const spate_in_place_header *)bytes;
    if (length < sizeof(*header) || memcmp(header->magic, SPATE_IN_PLACE_MAGIC, sizeof(header->magic)) != 0)
        return false;
    size_t checked = offsetof(spate_in_place_header, folders);
    if (spate_crc32c(0, bytes + checked, length - checked) != header->checksum)
        return false;
    uint64_t folders = (uint64_t)header->folders * sizeof(spate_in_place_folder);
    uint64_t marks = (uint64_t)header->marks * sizeof(spate_in_place_mark);
    if (sizeof(*header) + folders + marks + header->text != length || header->text == 0)
        return false;
    record->header = header;
    record->folders = (const spate_in_place_folder *)(bytes + sizeof(*header));
    record->marks = (const spate_in_place_mark *)(bytes + sizeof(*header) + folders);
    record->text = (const char *)bytes + sizeof(*header) + folders + marks;
    /* So every text that starts within the section is terminated within it. */
    if (record->text[header->text - 1] != '\0' || header->ignored >= header->text || header->output >= header->text)
        return false;
    uint64_t all = 0;
    for (uint32_t at = 0; at < header->folders; at++) {
        if (record->folders[at].path >= header->text)
            return false;
        all += record->folders[at].count;
    }
    for (uint32_t at = 0; at < header->marks; at++)
        if (record->marks[at].name >= header->text)
            return false;
    return all == header->marks;
}

/* ---- paths ---- */

static bool is_same(const spate_in_place_mark *mark, const struct stat *info) {
    uint32_t facts = mark->facts;
    return info->st_dev == mark->device && info->st_ino == mark->inode && info->st_mode == mark->mode &&
           info->st_uid == mark->owner &&
           (!(facts & SPATE_MARK_CONTENT) ||
            ((uint64_t)info->st_size == mark->size && spate_mtime_ns(info) == mark->mtime_ns)) &&
           (!(facts & SPATE_MARK_CTIME) || spate_ctime_ns(info) == mark->ctime_ns);
}

static bool holds(int folder, const char *name, const spate_in_place_mark *mark) {
    struct stat info;
    int flags = mark->facts & SPATE_MARK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW;
    if (fstatat(folder, name, &info, flags) == 0)
        return !(mark->facts & SPATE_MARK_ABSENT) && is_same(mark, &info);
    return mark->facts & SPATE_MARK_ABSENT && (errno == ENOENT || errno == ENOTDIR);
}

/* For so few paths, opening the directory would cost more than looking up full paths. */
static bool few_hold(const place_record *record, const spate_in_place_folder *folder,
                     const spate_in_place_mark *marks) {
    char path[PATH_MAX];
    for (uint32_t at = 0; at < folder->count; at++) {
        int length = snprintf(path, sizeof(path), "%s/%s", record->text + folder->path, record->text + marks[at].name);
        if (length < 0 || (size_t)length >= sizeof(path) || !holds(AT_FDCWD, path, &marks[at]))
            return false;
    }
    return true;
}

/* Whether all marks of a directory match. A missing directory is fine if all its names were absent. */
static bool folder_holds(const place_record *record, const spate_in_place_folder *folder,
                         const spate_in_place_mark *marks) {
    if (folder->count <= FEW)
        return few_hold(record, folder, marks);
    int descriptor = open(record->text + folder->path, SPATE_FOLDER_FLAGS);
    if (descriptor < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return false;
        for (uint32_t at = 0; at < folder->count; at++)
            if (!(marks[at].facts & SPATE_MARK_ABSENT))
                return false;
        return true;
    }
    bool same = true;
    for (uint32_t at = 0; same && at < folder->count; at++)
        same = holds(descriptor, record->text + marks[at].name, &marks[at]);
    return close(descriptor) == 0 && same;
}

/* Work shared by two threads, which claim one directory at a time. */
typedef struct look {
    const place_record *record;
    atomic_uint next;
    atomic_bool differs;
    pthread_mutex_t lock; /* protects `next` and `mark`, which must change together */
    uint32_t mark;
} look;

static void *look_at_folders(void *context) {
    look *all = context;
    const place_record *record = all->record;
    while (!atomic_load(&all->differs)) {
        (void)pthread_mutex_lock(&all->lock);
        uint32_t at = atomic_fetch_add(&all->next, 1);
        uint32_t mark = all->mark;
        if (at < record->header->folders)
            all->mark += record->folders[at].count;
        (void)pthread_mutex_unlock(&all->lock);
        if (at >= record->header->folders)
            break;
        if (!folder_holds(record, &record->folders[at], record->marks + mark))
            atomic_store(&all->differs, true);
    }
    return NULL;
}

static bool paths_hold(const place_record *record, unsigned threads) {
    look all = {.record = record, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t other;
    bool two = threads == 0 ? record->header->marks >= MANY : threads > 1;
    two = two && pthread_create(&other, NULL, look_at_folders, &all) == 0;
    (void)look_at_folders(&all);
    if (two && pthread_join(other, NULL) != 0)
        return false;
    return !atomic_load(&all.differs);
}

/* ---- the environment ---- */

/* Whether the variable is in the list. A line is a name, or a prefix followed by "*". */
static bool is_ignored(const char *lines, const char *entry) {
    size_t name = strcspn(entry, "=");
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        bool prefix = length > 0 && lines[length - 1] == '*';
        size_t compared = prefix ? length - 1 : length;
        if ((prefix ? name >= compared : name == compared) && memcmp(lines, entry, compared) == 0)
            return true;
        lines += length + (lines[length] == '\n');
    }
    return false;
}

static int compare_entries(const void *one, const void *other) {
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* Buffer for files in /proc. */
static char state_text[STATE_MAX + 2];

/* Adds the process's IDs, groups and capabilities, because they determine which files it can read. */
static bool add_rights(spate_siphash *hash) {
    static const char *const names[] = {"Uid:", "Gid:", "Groups:", "CapEff:", "NoNewPrivs:", "Seccomp:"};
    if (spate_read_text(STATUS, state_text, STATE_MAX, false) <= 0)
        return false;
    for (const char *line = state_text; *line;) {
        size_t length = strcspn(line, "\n");
        for (size_t at = 0; at < sizeof(names) / sizeof(*names); at++)
            if (strncmp(line, names[at], strlen(names[at])) == 0)
                spate_siphash_add(hash, line, length);
        line += length + (line[length] == '\n');
    }
    return true;
}

/* Whether the environment without the ignored variables, and the process's permissions, have the recorded digest. */
static bool environment_holds(const place_record *record, char *const *environment) {
    spate_environment sorted;
    spate_siphash hash;
    uint8_t found[SPATE_SIPHASH_BYTES];
    if (!spate_environment_copy(&sorted, environment, 0))
        return false;
    qsort(sorted.entries, sorted.count, sizeof(*sorted.entries), compare_entries);
    spate_siphash_begin(&hash);
    for (size_t at = 0; at < sorted.count; at++)
        if (!is_ignored(record->text + record->header->ignored, sorted.entries[at]))
            spate_siphash_add(&hash, sorted.entries[at], strlen(sorted.entries[at]) + 1);
    bool whole = add_rights(&hash);
    spate_siphash_end(&hash, found);
    free(sorted.entries);
    return whole && memcmp(found, record->header->environment, sizeof(found)) == 0;
}

/* ---- the record ---- */

/* Whether a file in /proc has the recorded digest. */
static bool same_state(const char *path, const uint8_t recorded[SPATE_SIPHASH_BYTES]) {
    uint8_t found[SPATE_SIPHASH_BYTES];
    long length = spate_read_text(path, state_text, STATE_MAX, false);
    if (length <= 0)
        return false;
    spate_siphash_of(state_text, (size_t)length, found);
    return memcmp(found, recorded, sizeof(found)) == 0;
}

/* Compares the mounts if the record requires it. Times in whole seconds, as in container images, prove nothing after a
 * remount. */
static bool same_mounts(const place_record *record) {
    static const uint8_t none[SPATE_SIPHASH_BYTES];
    const uint8_t *mounts = record->header->mounts;
    return memcmp(mounts, none, sizeof(none)) == 0 || same_state(MOUNTS, mounts);
}

/* Makes the name of the record, like CLI::InPlace.key. */
static void name_record(const struct spate_front_request *request, char digits[KEY_DIGITS + 1]) {
    const char *gemfile = spate_variable(request->environment, "BUNDLE_GEMFILE");
    spate_siphash hash;
    uint8_t bytes[SPATE_SIPHASH_BYTES];
    spate_siphash_begin(&hash);
    spate_siphash_add(&hash, request->cwd, strlen(request->cwd) + 1);
    spate_siphash_add(&hash, gemfile ? gemfile : "", gemfile ? strlen(gemfile) + 1 : 1);
    if (request->launcher)
        spate_siphash_add(&hash, request->launcher, strlen(request->launcher) + 1);
    for (char *const *word = request->words; *word; word++)
        spate_siphash_add(&hash, *word, strlen(*word) + 1);
    spate_siphash_end(&hash, bytes);
    for (size_t at = 0; at < sizeof(bytes); at++)
        (void)snprintf(digits + 2 * at, 3, "%02x", bytes[at]);
}

static bool is_trusted(const char *folder) {
    static spate_culprit culprit;
    return spate_trust_path(folder, false, false, &culprit) == SPATE_TRUSTED;
}

/* Returns a descriptor and sets *length. Returns -1 unless the file belongs to this user and is not writable by
 * others. */
static int open_record(const struct spate_front_request *request, size_t *length) {
    char home[PATH_MAX], path[PATH_MAX], digits[KEY_DIGITS + 1];
    struct stat info;
    if (!spate_home(request->environment, home))
        return -1;
    int bytes = snprintf(path, sizeof(path), "%s" FOLDER, home);
    if (bytes < 0 || (size_t)bytes + 1 + KEY_DIGITS >= sizeof(path) || !is_trusted(path))
        return -1;
    name_record(request, digits);
    (void)snprintf(path + bytes, sizeof(path) - (size_t)bytes, "/%s", digits);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        !(info.st_mode & (S_IWGRP | S_IWOTH)) && info.st_size > 0 && info.st_size <= SPATE_IN_PLACE_MAX) {
        *length = (size_t)info.st_size;
        return descriptor;
    }
    (void)close(descriptor);
    return -1;
}

static const char *reason_not_in_place(const struct spate_front_request *request, struct spate_front_answer *answer) {
    place_record record;
    if (!parse(&record, answer->record, answer->length))
        return "the record has another version, or is damaged";
    if (record.header->user != geteuid())
        return "the record belongs to another user";
    if (!same_state(BOOT_ID, record.header->boot) || !same_mounts(&record))
        return "the machine was restarted since, or its mounts have changed";
    if (!environment_holds(&record, request->environment))
        return "the environment has changed";
    if (!paths_hold(&record, request->threads))
        return "a file has changed";
    answer->output = record.text + record.header->output;
    answer->stream = record.header->stream == STDOUT_FILENO ? STDOUT_FILENO : STDERR_FILENO;
    return NULL;
}

bool spate_front_in_place(const struct spate_front_request *request, struct spate_front_answer *answer) {
    *answer = (struct spate_front_answer){.doubt = "there is no record"};
    int descriptor = open_record(request, &answer->length);
    if (descriptor < 0)
        return false;
    /* Not mapped: truncating a mapped file would crash the process. */
    answer->record = malloc(answer->length);
    bool whole =
        answer->record && spate_read_full(descriptor, answer->record, answer->length) == (int64_t)answer->length;
    bool readable = close(descriptor) == 0 && whole;
    answer->doubt = readable ? reason_not_in_place(request, answer) : "the record cannot be read";
    return !answer->doubt;
}

void spate_front_release(struct spate_front_answer *answer) {
    free(answer->record);
    answer->record = NULL;
}
