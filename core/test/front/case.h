/* Builds records of the front end for tests, and checks them with spate_front_in_place. */
#ifndef SPATE_TEST_FRONT_CASE_H
#define SPATE_TEST_FRONT_CASE_H

#include "test/harness.h"
#include "test/scratch.h"

#include "base/times.h"
#include "digest/crc32c.h"
#include "digest/siphash.h"
#include "front/in_place.h"
#include "front/in_place_record.h"

#include <stddef.h>
#include <unistd.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define STATUS "/proc/self/status"
#define NEEDS_PROC NEEDS(exists(BOOT_ID) && exists(STATUS), "no /proc here")
#define MOST 1024
#define PLAIN (SPATE_MARK_CONTENT | SPATE_MARK_CTIME)

static spate_in_place_header header;
static spate_in_place_folder folders[MOST];
static spate_in_place_mark marks[MOST];
static char texts[64 << 10];
static uint8_t bytes[256 << 10];
static size_t length;
static const char *home;
static char variable[PATH_MAX + 16];
static char *environment[] = {variable, "B=2", "TERM=one", "SSH_TTY=one", NULL};
static char *words[] = {"install", NULL};
static struct spate_front_answer answer;

static uint32_t add_text(const char *text) {
    uint32_t place = header.text;
    CHECK(place + strlen(text) + 1 <= sizeof(texts));
    memcpy(texts + place, text, strlen(text) + 1);
    header.text += (uint32_t)strlen(text) + 1;
    return place;
}

static void add_folder(const char *path) {
    CHECK(header.folders < MOST);
    folders[header.folders++] = (spate_in_place_folder){.path = add_text(path)};
}

/* Adds a name in the last folder. */
static void add_mark(const char *name, uint32_t facts) {
    char path[PATH_MAX];
    struct stat info = {0};
    spate_in_place_folder *folder = &folders[header.folders - 1];
    snprintf(path, sizeof(path), "%s/%s", texts + folder->path, name);
    if (!(facts & SPATE_MARK_ABSENT))
        CHECK((facts & SPATE_MARK_FOLLOW ? stat(path, &info) : lstat(path, &info)) == 0);
    CHECK(header.marks < MOST);
    folder->count++;
    marks[header.marks++] = (spate_in_place_mark){.device = info.st_dev,
                                                  .inode = info.st_ino,
                                                  .size = (uint64_t)info.st_size,
                                                  .mtime_ns = spate_mtime_ns(&info),
                                                  .ctime_ns = spate_ctime_ns(&info),
                                                  .name = add_text(name),
                                                  .facts = facts,
                                                  .mode = info.st_mode,
                                                  .owner = info.st_uid};
}

/* Hashes the lines with the process's IDs and capabilities, as Record#rights does. */
static void hash_rights(spate_siphash *hash) {
    static const char *const names[] = {"Uid:", "Gid:", "Groups:", "CapEff:", "NoNewPrivs:", "Seccomp:"};
    char line[8192];
    FILE *file = fopen(STATUS, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof(line), file))
        for (size_t at = 0; at < sizeof(names) / sizeof(*names); at++)
            if (strncmp(line, names[at], strlen(names[at])) == 0)
                spate_siphash_add(hash, line, strcspn(line, "\n"));
    CHECK(fclose(file) == 0);
}

static void hash_state(void) {
    char id[64];
    spate_siphash hash;
    FILE *file = fopen(BOOT_ID, "r");
    CHECK(file && fgets(id, sizeof(id), file) && fclose(file) == 0);
    spate_siphash_of(id, strlen(id), header.boot);
    spate_siphash_begin(&hash);
    spate_siphash_add(&hash, "B=2", 4);
    spate_siphash_add(&hash, variable, strlen(variable) + 1);
    hash_rights(&hash);
    spate_siphash_end(&hash, header.environment);
}

static void begin(void) {
    memset(&header, 0, sizeof(header));
    home = lasting(fresh("home"));
    CHECK((size_t)snprintf(variable, sizeof(variable), "SPATE_HOME=%s", home) < sizeof(variable));
    memcpy(header.magic, SPATE_IN_PLACE_MAGIC, sizeof(header.magic));
    header.user = geteuid();
    header.stream = STDERR_FILENO;
    header.ignored = add_text("TERM\nSSH_*");
    header.output = add_text("2 gems in place\n");
    char path[PATH_MAX];
    static const char *const parts[] = {"", "/store", "/store/v1", "/store/v1/in-place"};
    for (size_t at = 0; at < sizeof(parts) / sizeof(*parts); at++) {
        snprintf(path, sizeof(path), "%s%s", home, parts[at]);
        CHECK(mkdir(path, 0700) == 0);
    }
}

static const char *record_path(void) {
    static char path[PATH_MAX];
    uint8_t key[SPATE_SIPHASH_BYTES];
    spate_siphash_of("/cwd\0\0install", sizeof("/cwd\0\0install"), key);
    int used = snprintf(path, sizeof(path), "%s/store/v1/in-place/", home);
    for (size_t at = 0; at < sizeof(key); at++)
        used += snprintf(path + used, 3, "%02x", key[at]);
    return path;
}

static void seal(size_t whole) {
    size_t checked = offsetof(spate_in_place_header, folders);
    uint32_t sum = spate_crc32c(0, bytes + checked, whole - checked);
    memcpy(bytes + offsetof(spate_in_place_header, checksum), &sum, sizeof(sum));
}

static void put(size_t whole) {
    int file = open(record_path(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(file >= 0 && spate_write_all(file, bytes, whole) && close(file) == 0);
}

static void end(void) {
    hash_state();
    length = 0;
    const struct {
        const void *from;
        size_t size;
    } parts[] = {{&header, sizeof(header)},
                 {folders, header.folders * sizeof(*folders)},
                 {marks, header.marks * sizeof(*marks)},
                 {texts, header.text}};
    for (size_t at = 0; at < sizeof(parts) / sizeof(*parts); at++) {
        memcpy(bytes + length, parts[at].from, parts[at].size);
        length += parts[at].size;
    }
    seal(length);
    put(length);
}

static bool holds_with(char *const *variables, unsigned threads) {
    struct spate_front_request request = {.cwd = "/cwd", .environment = variables, .words = words, .threads = threads};
    bool found = spate_front_in_place(&request, &answer);
    CHECK(found == (answer.doubt == NULL));
    return found;
}

/* Checks the record and releases the answer. */
static bool holds(void) {
    bool found = holds_with(environment, 0);
    spate_front_release(&answer);
    return found;
}

static const char *place;

static const char *in_place(const char *name) {
    static char paths[4][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s/%s", place, name);
    return path;
}

/* Makes a record with four paths in a folder, a missing folder, and a file in a subfolder. */
static void small_record(void) {
    begin();
    place = lasting(fresh("place"));
    CHECK(mkdir(place, 0755) == 0 && mkdir(in_place("deep"), 0755) == 0);
    write_text(in_place("read"), "one", 0644);
    write_text(in_place("looked"), "two", 0644);
    write_text(in_place("deep/file"), "three", 0644);
    CHECK(symlink("read", in_place("link")) == 0);
    add_folder(place);
    add_mark("read", PLAIN);
    add_mark("looked", SPATE_MARK_CONTENT);
    add_mark("link", PLAIN);
    add_mark("link", PLAIN | SPATE_MARK_FOLLOW);
    add_mark("missing", SPATE_MARK_ABSENT);
    add_mark("deep", 0);
    add_folder(in_place("deep"));
    add_mark("file", PLAIN);
    add_folder(in_place("none"));
    add_mark("one", SPATE_MARK_ABSENT);
    add_mark("two", SPATE_MARK_ABSENT);
    add_mark("three", SPATE_MARK_ABSENT);
    end();
}

#endif
