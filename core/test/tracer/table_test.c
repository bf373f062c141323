#include "test/scratch.h"

#include "tracer/here.h"
#include "tracer/outcome.h"
#include "tracer/tracer.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

typedef struct trace {
    size_t count;
    char texts[64][128];
    uint64_t kinds[64];
} trace;

static bool take(void *context, const char *text, size_t length, uint64_t kinds) {
    trace *all = context;
    if (all->count < 64) {
        snprintf(all->texts[all->count], sizeof(*all->texts), "%s", text);
        all->kinds[all->count] = kinds;
    }
    if (strlen(text) != length)
        abort();
    all->count++;
    return true;
}

static spate_tracer_table table;
static int descriptor;

/* Only Linux seals shared memory against truncation by a child: see anonymous_file in record.c. */
#ifdef SPATE_TRACER_HERE
enum { TRACER_HERE = true };
#else
enum { TRACER_HERE = false };
#endif

static void open_table(const char *const *ignored, size_t count, spate_tracer_size size) {
    NEEDS(TRACER_HERE, "no tracer here");
    CHECK_OK(spate_tracer_record_new(&table, &descriptor, ignored, count, size, NULL));
    atomic_store(&table.header->listening, 1);
}

static trace close_table(void) {
    trace all = {0};
    CHECK_OK(spate_tracer_record_each(&table, take, &all));
    spate_tracer_record_free(&table, descriptor);
    return all;
}

static const spate_tracer_size small = {.slots = 64, .bytes = 8192};

static void path(spate_tracer_kind kind, const char *text) {
    spate_tracer_table_path(&table, kind, text, strlen(text), 4711);
}

TEST(paths_and_kinds_keep_their_order) {
    open_table(NULL, 0, small);
    path(SPATE_TRACER_ABSENT, "/usr/include/a.h");
    path(SPATE_TRACER_READ, "/usr/include/b.h");
    path(SPATE_TRACER_WRITTEN, "/usr/include/a.h");
    path(SPATE_TRACER_ABSENT, "/usr/include/a.h");
    path(SPATE_TRACER_LOOKED, "/usr/include/a.h");
    spate_tracer_table_name(&table, "CFLAGS");
    spate_tracer_table_name(&table, "SPATE_TRACER");
    spate_tracer_table_trouble(&table, "network: ", "10.0.0.1");
    trace all = close_table();
    CHECK_NUMBER(4, all.count);
    CHECK_STRING("/usr/include/a.h", all.texts[0]);
    CHECK_NUMBER(SPATE_TRACER_ABSENT | SPATE_TRACER_WRITTEN << 4 | SPATE_TRACER_LOOKED << 8, all.kinds[0]);
    CHECK_STRING("/usr/include/b.h", all.texts[1]);
    CHECK_NUMBER(SPATE_TRACER_READ, all.kinds[1]);
    CHECK_STRING("$CFLAGS", all.texts[2]);
    CHECK_STRING("!network: 10.0.0.1", all.texts[3]);
}

TEST(ignored_paths) {
    const char *ignored[] = {"/build/tree", "/tmp/own"};
    open_table(ignored, 2, small);
    path(SPATE_TRACER_READ, "/build/tree");
    path(SPATE_TRACER_READ, "/build/tree/sub/../../tree");
    path(SPATE_TRACER_READ, "/build/tree/sub/../x.h");
    path(SPATE_TRACER_READ, "/build/tree/./a/b/../../x.h");
    path(SPATE_TRACER_READ, "/tmp/own/conftest.c");
    path(SPATE_TRACER_READ, "/dev/null");
    path(SPATE_TRACER_READ, "/dev/fd/3");
    path(SPATE_TRACER_READ, "/proc/self/maps");
    path(SPATE_TRACER_READ, "/proc/4711/stat");
    path(SPATE_TRACER_READ, "relative");
    trace all = close_table();
    CHECK_NUMBER(1, all.count);
    CHECK_STRING("/build/tree/sub/../../tree", all.texts[0]);
}

TEST(paths_similar_to_ignored_ones) {
    const char *ignored[] = {"/build/tree"};
    open_table(ignored, 1, small);
    path(SPATE_TRACER_READ, "/build/trees");
    path(SPATE_TRACER_READ, "/build/tree/../secret");
    path(SPATE_TRACER_READ, "/build/tree/a/../../secret");
    path(SPATE_TRACER_READ, "/dev/sda");
    path(SPATE_TRACER_READ, "/dev/nullify");
    path(SPATE_TRACER_READ, "/proc/cpuinfo");
    path(SPATE_TRACER_READ, "/proc/47110/stat");
    path(SPATE_TRACER_READ, "/proc/selfish");
    path(SPATE_TRACER_READ, "/proc/self/environ");
    path(SPATE_TRACER_READ, "/proc/self/cwd/secret");
    path(SPATE_TRACER_READ, "/proc/4711/fd/3/secret");
    path(SPATE_TRACER_READ, "/proc/47110/root/secret");
    trace all = close_table();
    CHECK_NUMBER(12, all.count);
    CHECK_STRING("/proc/self/environ", all.texts[8]);
    for (size_t i = 9; i < 12; i++)
        CHECK_CONTAINS("!a path through a process", all.texts[i]);
}

static void joins(const char *folder, const char *name, const char *expected) {
    char joined[64];
    CHECK_NUMBER(strlen(expected), spate_tracer_join(joined, sizeof(joined), folder, name));
    if (*expected)
        CHECK_STRING(expected, joined);
}

TEST(paths_are_joined_and_cleaned) {
    joins("/a", "b", "/a/b");
    joins("", "/a//b/./c", "/a/b/c");
    joins("/a", "./b/.", "/a/b");
    joins("/a", ".", "/a");
    joins("/", "b", "/b");
    joins("", "/", "/");
    joins("", "/./", "/");
    joins("/a", "../b", "/a/../b");
    joins("/a", ".b/..c/...", "/a/.b/..c/...");
    joins("/a/", "b/", "/a/b");
    joins("/a", "", "");
    joins("/a", "0123456789012345678901234567890123456789012345678901234567890123", "");
}

static spate_tracer_path at(const char *text) {
    return (spate_tracer_path){&table, text, strlen(text), 4711};
}

TEST(outcomes) {
    open_table(NULL, 0, small);
    spate_tracer_path read = at("/read"), made = at("/made"), kept = at("/kept"), none = at("/none"),
                      shut = at("/shut");
    spate_tracer_path below = at("/none/sub/new"), full = at("/full"), folder = at("/folder"), odd = at("/odd");
    spate_tracer_opened(&read, O_RDONLY, false, 3);
    spate_tracer_opened(&made, O_RDWR | O_CREAT | O_EXCL, false, 3);
    spate_tracer_opened(&kept, O_RDWR | O_CREAT, true, 3);
    spate_tracer_opened(&none, O_RDONLY, false, -ENOENT);
    spate_tracer_opened(&shut, O_RDONLY, false, -EACCES);
    spate_tracer_opened(&below, O_WRONLY | O_CREAT, false, -ENOENT);
    spate_tracer_opened(&full, O_RDONLY, false, -EMFILE);
    spate_tracer_opened(&folder, O_RDONLY | O_DIRECTORY, false, 3);
    spate_tracer_opened(&odd, O_RDONLY, false, -EFAULT);
    trace all = close_table();
    static const char *const texts[] = {
        "/read", "/made", "/kept", "/none", "/shut", "/none/sub", "!descriptors were used up: /full", "/folder"};
    static const uint64_t kinds[] = {
        SPATE_TRACER_READ,    SPATE_TRACER_WRITTEN, SPATE_TRACER_READ | SPATE_TRACER_WRITTEN << 4,
        SPATE_TRACER_ABSENT,  SPATE_TRACER_LOOKED,  SPATE_TRACER_ABSENT,
        SPATE_TRACER_TROUBLE, SPATE_TRACER_LOOKED};
    CHECK_NUMBER(8, all.count);
    for (size_t i = 0; i < 8; i++) {
        CHECK_STRING(texts[i], all.texts[i]);
        CHECK_NUMBER(kinds[i], all.kinds[i]);
    }
}

TEST(full_tables_say_so) {
    open_table(NULL, 0, small);
    for (int i = 0; i < 200; i++) {
        char text[32];
        snprintf(text, sizeof(text), "/path/%d", i);
        path(SPATE_TRACER_READ, text);
    }
    trace all = close_table();
    CHECK_NUMBER(57, all.count); /* 7/8 of 64 slots, plus the note that the rest is missing */

    open_table(NULL, 0, (spate_tracer_size){.slots = 1024, .bytes = 1024});
    for (int i = 0; i < 200; i++) {
        char text[64];
        snprintf(text, sizeof(text), "/a/longer/path/that/fills/the/entries/%d", i);
        path(SPATE_TRACER_READ, text);
    }
    all = close_table();
    CHECK(all.count > 10 && all.count < 20);
    CHECK_STRING("!overflow", all.texts[all.count - 1]);
}

TEST(long_paths_and_names) {
    char *text = malloc(6000);
    memset(text, 'x', 5999);
    text[0] = '/';
    text[5999] = '\0';
    open_table(NULL, 0, small);
    path(SPATE_TRACER_READ, text);
    spate_tracer_table_name(&table, text);
    free(text);
    trace all = close_table();
    CHECK_NUMBER(2, all.count);
    CHECK_CONTAINS("!a path too long", all.texts[0]);
    CHECK_CONTAINS("!a long name", all.texts[1]);
}

enum { WRITERS = 8, PATHS = 3000 };

static void write_all(int writer) {
    for (int i = 0; i < PATHS; i++) {
        char text[64];
        snprintf(text, sizeof(text), "/shared/path/%d", (i + writer * 7) % PATHS);
        path((spate_tracer_kind)(1 + (i + writer) % 6), text);
    }
}

static void *write_all_of(void *writer) {
    write_all((int)(intptr_t)writer);
    return NULL;
}

static void check_written(void) {
    trace *all = calloc(1, sizeof(*all));
    CHECK_OK(spate_tracer_record_each(&table, take, all));
    spate_tracer_record_free(&table, descriptor);
    CHECK_NUMBER(PATHS, all->count);
    free(all);
}

TEST(threads_write_each_path_once) {
    pthread_t threads[WRITERS];
    open_table(NULL, 0, (spate_tracer_size){0});
    for (intptr_t i = 0; i < WRITERS; i++)
        CHECK(pthread_create(&threads[i], NULL, write_all_of, (void *)i) == 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    check_written();
}

#ifndef __SANITIZE_THREAD__
TEST(processes_write_each_path_once_and_may_be_killed) {
    pid_t children[WRITERS], killed;
    open_table(NULL, 0, (spate_tracer_size){0});
    killed = fork();
    if (killed == 0)
        for (;;)
            write_all(3);
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            write_all(i);
            _exit(0);
        }
    }
    usleep(1000);
    kill(killed, SIGKILL);
    waitpid(killed, NULL, 0);
    for (int i = 0; i < WRITERS; i++)
        waitpid(children[i], NULL, 0);
    check_written();
}
#endif

/* A child may write anything into the shared memory. The tracer never uses an address from it. */
TEST(scribbled_tables_are_read_within_bounds) {
    srand(11);
    for (int round = 0; round < (harness_full() ? 3000 : 300); round++) {
        const char *ignored[] = {"/build"};
        open_table(ignored, 1, small);
        for (int i = 0; i < 30; i++) {
            char text[32];
            snprintf(text, sizeof(text), "/path/%d", i);
            path(SPATE_TRACER_READ, text);
        }
        unsigned char *bytes = (unsigned char *)table.header;
        size_t from = round % 3 == 0 ? 0 : round % 3 == 1 ? sizeof(spate_tracer_header) : (size_t)table.entries;
        for (int i = 0; i < 40; i++)
            bytes[from + (size_t)rand() % (table.size - from)] = (unsigned char)rand();
        if (round % 5 == 0)
            memset(bytes + from, round % 2 ? 255 : 0, (size_t)rand() % (table.size - from));
        for (int i = 20; i < 60; i++) {
            char text[32];
            snprintf(text, sizeof(text), "/path/%d", i);
            path(SPATE_TRACER_LOOKED, text);
            spate_tracer_table_name(&table, text);
        }
        trace all = close_table();
        CHECK(all.count <= 66);
    }
}

TEST(damaged_entry_is_reported) {
    open_table(NULL, 0, small);
    path(SPATE_TRACER_READ, "/a");
    path(SPATE_TRACER_READ, "/b");
    const spate_tracer_entry *entry;
    CHECK_NUMBER(2, spate_tracer_table_entry(&table, (uint32_t)table.entries, &entry));
    ((spate_tracer_entry *)(uintptr_t)entry)->length = UINT32_MAX;
    trace all = close_table();
    CHECK_NUMBER(2, all.count);
    CHECK_STRING("/b", all.texts[0]);
    CHECK_STRING("!damaged", all.texts[1]);
}

TEST(a_child_cannot_make_the_memory_smaller) {
    open_table(NULL, 0, small);
    CHECK_NUMBER(-1, ftruncate(descriptor, 0));
    CHECK_NUMBER(EPERM, errno);
    CHECK_NUMBER(-1, ftruncate(descriptor, (off_t)table.size + 1));
    close_table();
}

TEST(invalid_table) {
    NEEDS(TRACER_HERE, "no tracer here");
    spate_tracer_table other;
    static struct spate_tracer_header memory[2];
    CHECK(!spate_tracer_table_take(&other, memory, sizeof(memory)));
    memcpy(memory[0].magic, SPATE_TRACER_MAGIC, sizeof(memory[0].magic));
    memory[0].version = SPATE_TRACER_VERSION;
    static const uint32_t counts[] = {0, 1, 3, 1u << 11, 1u << 31, UINT32_MAX};
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        memory[0].slot_count = counts[i];
        CHECK(!spate_tracer_table_take(&other, memory, sizeof(memory)));
    }
    memory[0].slot_count = 1u << 10;
    CHECK(!spate_tracer_table_take(&other, memory, sizeof(*memory) - 1));
    CHECK(spate_tracer_table_take(&other, memory, sizeof(memory)));
    memory[0].version++;
    CHECK(!spate_tracer_table_take(&other, memory, sizeof(memory)));
    const char *ignored[200];
    char folder[100] = "/";
    memset(folder + 1, 'f', 98);
    for (size_t i = 0; i < 200; i++)
        ignored[i] = folder;
    spate_error error;
    CHECK_STATUS(SPATE_LIMIT, spate_tracer_record_new(&table, &descriptor, ignored, 200, small, &error));
    CHECK_STATUS(SPATE_LIMIT,
                 spate_tracer_record_new(&table, &descriptor, NULL, 0, (spate_tracer_size){.slots = 3}, &error));
}
