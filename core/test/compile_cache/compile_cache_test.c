#include "test/scratch.h"

#include "base/bounds.h"

#include "compile_cache/compile_cache.h"
#include "compile_cache/format.h"
#include "digest/crc32c.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES] = "0123456789abcdef";

static spate_compile_cache_file file_of(const char *path, const char *blob) {
    return (spate_compile_cache_file){
        .path = path,
        .path_length = strlen(path),
        .size = 7,
        .mtime_ns = -1,
        .ctime_ns = 2,
        .recorded_ns = 3,
        .inode = 4,
        .flags = SPATE_COMPILE_CACHE_WARNS_VERBOSE,
        .hash = {9, 8},
        .blob = blob,
        .blob_length = strlen(blob),
    };
}

static spate_compile_cache_data data_of(const char *name, const char *bytes) {
    return (spate_compile_cache_data){
        .name = name, .name_length = strlen(name), .bytes = bytes, .length = strlen(bytes)};
}

static const char *written_at(const char *path) {
    spate_compile_cache_file files[] = {file_of("/app/b.rb", "second file's code"), file_of("/app/a.rb", "x"),
                                        file_of("/app/t\xc3\xa4st.rb", "")};
    spate_compile_cache_data data[] = {data_of("index", "abc"), data_of("empty", "")};
    CHECK_OK(spate_compile_cache_write(path, key, files, 3, data, 2, NULL));
    return path;
}

static const char *written(void) {
    return written_at(fresh("compile_cache"));
}

static spate_compile_cache *opened(const char *path) {
    spate_compile_cache *compile_cache = NULL;
    spate_compile_cache_fault fault;
    if (spate_compile_cache_open(&compile_cache, path, key, false, &fault, NULL) != SPATE_OK)
        harness_fail(__FILE__, __LINE__, "not usable: %s", spate_compile_cache_fault_name(fault));
    return compile_cache;
}

#define CHECK_FAULT(expected, path)                                                                                    \
    do {                                                                                                               \
        spate_compile_cache *harness_compile_cache;                                                                    \
        spate_compile_cache_fault harness_fault;                                                                       \
        CHECK_STATUS(SPATE_STALE,                                                                                      \
                     spate_compile_cache_open(&harness_compile_cache, path, key, false, &harness_fault, NULL));        \
        CHECK(harness_compile_cache == NULL);                                                                          \
        CHECK_STRING(spate_compile_cache_fault_name(expected), spate_compile_cache_fault_name(harness_fault));         \
    } while (0)

static bool finds(const spate_compile_cache *compile_cache, const char *path, size_t *index) {
    return spate_compile_cache_find(compile_cache, spate_compile_cache_hash(path, strlen(path)), path, strlen(path),
                                    index);
}

TEST(written_content_is_read_in_order) {
    static const char *const paths[] = {"/app/b.rb", "/app/a.rb", "/app/t\xc3\xa4st.rb"};
    const char *path = written();
    spate_compile_cache *compile_cache = opened(path);
    size_t index;
    CHECK_NUMBER(3, spate_compile_cache_count(compile_cache));
    CHECK_NUMBER(2, spate_compile_cache_data_count(compile_cache));
    CHECK_NUMBER(stat_of(path).st_size, spate_compile_cache_length(compile_cache));
    CHECK_NUMBER(0644, stat_of(path).st_mode & 0777);
    for (size_t i = 0; i < 3; i++) {
        CHECK(finds(compile_cache, paths[i], &index));
        CHECK_NUMBER(i, index);
        CHECK_STRING(paths[i], spate_compile_cache_file_at(compile_cache, i).path);
        CHECK(spate_compile_cache_check_blob(compile_cache, i));
        CHECK_NUMBER(0, (uintptr_t)spate_compile_cache_file_at(compile_cache, i).blob % 16);
    }
    CHECK(!finds(compile_cache, "/app/c.rb", &index));
    CHECK(!finds(compile_cache, "/app/a.r", &index));
    spate_compile_cache_file file = spate_compile_cache_file_at(compile_cache, 0);
    CHECK_NUMBER(7, file.size);
    CHECK_NUMBER(-1, file.mtime_ns);
    CHECK_NUMBER(2, file.ctime_ns);
    CHECK_NUMBER(3, file.recorded_ns);
    CHECK_NUMBER(4, file.inode);
    CHECK_NUMBER(SPATE_COMPILE_CACHE_WARNS_VERBOSE, file.flags);
    CHECK_NUMBER(8, file.hash[1]);
    CHECK_NUMBER(18, file.blob_length);
    CHECK_BYTES("second file's code", file.blob, 18);
    CHECK(spate_compile_cache_find_data(compile_cache, "index", 5, &index));
    CHECK(spate_compile_cache_check_data(compile_cache, index));
    CHECK_BYTES("abc", spate_compile_cache_data_at(compile_cache, index).bytes, 3);
    CHECK_STRING("empty", spate_compile_cache_data_at(compile_cache, 1).name);
    CHECK(!spate_compile_cache_find_data(compile_cache, "inde", 4, &index));
    spate_compile_cache_rest(compile_cache);
    CHECK(spate_compile_cache_check_data(compile_cache, 0));
    spate_compile_cache_close(compile_cache);
    spate_compile_cache_close(NULL);
}

TEST(empty_compile_cache_is_valid) {
    const char *path = fresh("compile_cache");
    size_t index;
    CHECK_OK(spate_compile_cache_write(path, key, NULL, 0, NULL, 0, NULL));
    spate_compile_cache *compile_cache = opened(path);
    CHECK_NUMBER(0, spate_compile_cache_count(compile_cache));
    CHECK(!finds(compile_cache, "/app/a.rb", &index));
    spate_compile_cache_close(compile_cache);
}

TEST(thousands_are_found) {
    enum { COUNT = 5000 };
    static char paths[COUNT][40];
    static spate_compile_cache_file files[COUNT];
    const char *path = fresh("compile_cache");
    size_t index;
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(paths[i], sizeof(paths[i]), "/gems/some-%zu/lib/file_%zu.rb", i / 20, i);
        files[i] = file_of(paths[i], paths[i]);
    }
    CHECK_OK(spate_compile_cache_write(path, key, files, COUNT, NULL, 0, NULL));
    spate_compile_cache *compile_cache = opened(path);
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(finds(compile_cache, paths[i], &index) && index == i && spate_compile_cache_check_blob(compile_cache, i));
        CHECK_BYTES(paths[i], spate_compile_cache_file_at(compile_cache, i).blob, strlen(paths[i]));
    }
    spate_compile_cache_close(compile_cache);
}

/* ---- what the writer refuses and what it leaves behind ---- */

TEST(duplicate_paths_are_refused) {
    spate_compile_cache_file files[] = {file_of("/a", "1"), file_of("/a", "2")};
    spate_compile_cache_data data[] = {data_of("a", "1"), data_of("a", "2")};
    const char *path = fresh("compile_cache");
    spate_error error;
    CHECK_STATUS(SPATE_REFUSED, spate_compile_cache_write(path, key, files, 2, NULL, 0, &error));
    CHECK_CONTAINS("/a", error.message);
    CHECK_STATUS(SPATE_REFUSED, spate_compile_cache_write(path, key, NULL, 0, data, 2, &error));
    CHECK(!exists(path));
}

/* The name may be part of a longer Ruby string, or the memory may end right after it. */
TEST(error_contains_only_the_name) {
    spate_compile_cache_data data[] = {data_of("name", "1"), data_of("name", "2")};
    spate_error error;
    data[0].name_length = data[1].name_length = 2;
    CHECK_STATUS(SPATE_REFUSED, spate_compile_cache_write(fresh("compile_cache"), key, NULL, 0, data, 2, &error));
    CHECK_STRING("duplicate data entry: na", error.message);
}

TEST(paths_that_cannot_be_are_refused) {
    static char longest[SPATE_COMPILE_CACHE_PATH_MAX + 2];
    const char *path = fresh("compile_cache");
    memset(longest, 'a', sizeof(longest) - 1);
    spate_compile_cache_file file = file_of(longest, "1");
    CHECK_STATUS(SPATE_REFUSED, spate_compile_cache_write(path, key, &file, 1, NULL, 0, NULL));
    file.path_length = 0;
    CHECK_STATUS(SPATE_REFUSED, spate_compile_cache_write(path, key, &file, 1, NULL, 0, NULL));
    file = file_of("/a", "1");
    file.path = "/a\0b";
    file.path_length = 4;
    CHECK_STATUS(SPATE_REFUSED, spate_compile_cache_write(path, key, &file, 1, NULL, 0, NULL));
    file = file_of("/a", "1");
    file.blob_length = SPATE_COMPILE_CACHE_LENGTH_MAX;
    CHECK_STATUS(SPATE_LIMIT, spate_compile_cache_write(path, key, &file, 1, NULL, 0, NULL));
    CHECK_STATUS(SPATE_LIMIT,
                 spate_compile_cache_write(path, key, &file, SPATE_COMPILE_CACHE_ENTRIES_MAX + 1, NULL, 0, NULL));
    CHECK(!exists(path));
}

static size_t entries_of(const char *folder) {
    char command[PATH_MAX + 32];
    snprintf(command, sizeof(command), "ls -A '%s' | wc -l", folder);
    FILE *list = popen(command, "r");
    size_t count = 0;
    CHECK(list != NULL);
    CHECK(fscanf(list, "%zu", &count) == 1);
    CHECK(pclose(list) == 0);
    return count;
}

/* A full disk ends a write just like a file size limit, only with a different errno. */
TEST(failed_write_keeps_the_existing_file) {
    const char *folder = fresh("folder");
    char path[PATH_MAX];
    static char large[1 << 20];
    CHECK(mkdir(folder, 0700) == 0);
    snprintf(path, sizeof(path), "%s/compile_cache", folder);
    written_at(path);
    memset(large, 'x', sizeof(large) - 1);
    spate_compile_cache_file file = file_of("/a", large);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    struct rlimit low = {.rlim_cur = 300000, .rlim_max = before.rlim_max};
    CHECK(setrlimit(RLIMIT_FSIZE, &low) == 0);
    spate_error error;
    spate_status status = spate_compile_cache_write(path, key, &file, 1, NULL, 0, &error);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_STATUS(SPATE_SYSTEM, status);
    CHECK_NUMBER(EFBIG, error.system_errno);
    CHECK_NUMBER(1, entries_of(folder));
    spate_compile_cache_close(opened(path));
}

TEST(missing_folder_is_an_error) {
    spate_error error;
    CHECK_STATUS(SPATE_SYSTEM,
                 spate_compile_cache_write(in_scratch("none/compile_cache"), key, NULL, 0, NULL, 0, &error));
    CHECK_NUMBER(ENOENT, error.system_errno);
}

/* A reader that has the old file open keeps it. Other readers see the old or the new file, never a part of one. */
TEST(a_compile_cache_is_replaced_and_never_written_into) {
    const char *path = written();
    spate_compile_cache *compile_cache = opened(path);
    spate_compile_cache_file file = file_of("/new", "new");
    CHECK_OK(spate_compile_cache_write(path, key, &file, 1, NULL, 0, NULL));
    CHECK(spate_compile_cache_check_blob(compile_cache, 0));
    CHECK_NUMBER(3, spate_compile_cache_count(compile_cache));
    spate_compile_cache *again = opened(path);
    CHECK_NUMBER(1, spate_compile_cache_count(again));
    spate_compile_cache_close(again);
    spate_compile_cache_close(compile_cache);
}

TEST(concurrent_readers_see_only_complete_compile_caches) {
    const char *path = written();
    pid_t children[4];
    for (int child = 0; child < 4; child++) {
        children[child] = fork();
        CHECK(children[child] >= 0);
        if (children[child] == 0) {
            spate_compile_cache_file file = file_of("/app/b.rb", "second file's code");
            for (int i = 0; i < 50; i++)
                if (spate_compile_cache_write(path, key, &file, 1, NULL, 0, NULL) != SPATE_OK)
                    _exit(1);
            _exit(0);
        }
    }
    for (int i = 0; i < 200; i++) {
        spate_compile_cache *compile_cache = opened(path);
        CHECK(spate_compile_cache_check_blob(compile_cache, 0));
        spate_compile_cache_close(compile_cache);
    }
    for (int child = 0; child < 4; child++) {
        int status = -1;
        CHECK(waitpid(children[child], &status, 0) == children[child]);
        CHECK_NUMBER(0, status);
    }
}

/* ---- the kind and the owner of the file ---- */

TEST(missing_files_and_other_types) {
    const char *folder = fresh("folder");
    const char *fifo = fresh("fifo");
    CHECK_FAULT(SPATE_COMPILE_CACHE_MISSING, fresh("none"));
    CHECK(mkdir(folder, 0700) == 0);
    CHECK_FAULT(SPATE_COMPILE_CACHE_MAGIC, folder);
    CHECK(mkfifo(fifo, 0600) == 0);
    CHECK_FAULT(SPATE_COMPILE_CACHE_MAGIC, fifo);
}

TEST(symlinks_are_not_followed) {
    const char *path = written();
    const char *link = fresh("link");
    const char *folder = fresh("folder");
    const char *folder_link = fresh("folderlink");
    char inside[PATH_MAX];
    CHECK(symlink(path, link) == 0);
    CHECK_FAULT(SPATE_COMPILE_CACHE_SYMLINK, link);
    CHECK(mkdir(folder, 0700) == 0);
    CHECK(symlink(folder, folder_link) == 0);
    snprintf(inside, sizeof(inside), "%s/compile_cache", folder_link);
    written_at(inside);
    CHECK_FAULT(SPATE_COMPILE_CACHE_SYMLINK, inside);
}

TEST(files_that_others_may_write_are_not_used) {
    const char *folder = fresh("folder");
    char path[PATH_MAX];
    CHECK(mkdir(folder, 0700) == 0);
    snprintf(path, sizeof(path), "%s/compile_cache", folder);
    written_at(path);
    static const mode_t modes[] = {0602, 0620, 0666};
    for (size_t i = 0; i < 3; i++) {
        CHECK(chmod(path, modes[i]) == 0);
        CHECK_FAULT(SPATE_COMPILE_CACHE_WRITABLE, path);
        CHECK(chmod(path, 0600) == 0);
        CHECK(chmod(folder, modes[i] | 0111) == 0);
        CHECK_FAULT(SPATE_COMPILE_CACHE_WRITABLE, path);
        CHECK(chmod(folder, 0755) == 0);
    }
    CHECK(chmod(path, 0644) == 0);
    spate_compile_cache_close(opened(path));
    CHECK(chmod(path, 0666) == 0);
    spate_compile_cache *compile_cache;
    CHECK_OK(spate_compile_cache_open(&compile_cache, path, key, true, NULL, NULL));
    spate_compile_cache_close(compile_cache);
}

TEST(foreign_files_and_folders_are_not_used) {
    const char *folder = fresh("folder");
    char path[PATH_MAX];
    if (geteuid() != 0) {
        puts("skipped: only root can give a file away");
        return;
    }
    CHECK(mkdir(folder, 0755) == 0);
    snprintf(path, sizeof(path), "%s/compile_cache", folder);
    written_at(path);
    CHECK(chown(path, 4711, 4711) == 0);
    CHECK_FAULT(SPATE_COMPILE_CACHE_FOREIGN_OWNER, path);
    CHECK(chown(path, 0, 0) == 0);
    CHECK(chown(folder, 4711, 4711) == 0);
    CHECK_FAULT(SPATE_COMPILE_CACHE_FOREIGN_OWNER, path);
}

/* ---- damage ---- */

static spate_buffer bytes_of(const char *path) {
    spate_buffer file = {0};
    CHECK_OK(spate_read_file(path, 64 << 20, &file, NULL, NULL));
    return file;
}

static void seal(spate_buffer *file) {
    disk_header header;
    memcpy(&header, file->bytes, sizeof(header));
    if (header.tables_length > file->length || header.tables_length < sizeof(header))
        return;
    header.checksum = spate_compile_cache_checksum(file->bytes, (size_t)header.tables_length);
    memcpy(file->bytes, &header, sizeof(header));
}

/* Reads everything in the compile cache. Returns how many blobs and data entries were damaged. */
static size_t read_all(spate_compile_cache *compile_cache) {
    size_t damaged = 0;
    size_t index;
    volatile uint8_t sink = 0;
    for (size_t i = 0; i < spate_compile_cache_count(compile_cache); i++) {
        spate_compile_cache_file file = spate_compile_cache_file_at(compile_cache, i);
        CHECK(strlen(file.path) == file.path_length);
        finds(compile_cache, file.path, &index);
        damaged += !spate_compile_cache_check_blob(compile_cache, i);
        for (size_t k = 0; k < file.blob_length; k++)
            sink ^= ((const uint8_t *)file.blob)[k];
    }
    for (size_t i = 0; i < spate_compile_cache_data_count(compile_cache); i++) {
        spate_compile_cache_data data = spate_compile_cache_data_at(compile_cache, i);
        spate_compile_cache_find_data(compile_cache, data.name, data.name_length, &index);
        damaged += !spate_compile_cache_check_data(compile_cache, i);
    }
    (void)sink;
    return damaged;
}

/* Flips each byte of a small compile cache. Each flip makes the open fail, damages a blob, or hits unused padding. */
TEST(every_flipped_byte_is_noticed) {
    spate_buffer file = bytes_of(written());
    uint8_t *original = malloc(file.length);
    CHECK(original != NULL);
    memcpy(original, file.bytes, file.length);
    for (size_t i = 0; i < file.length; i++) {
        spate_compile_cache *compile_cache;
        spate_compile_cache_fault fault;
        file.bytes[i] ^= 0x10;
        if (spate_compile_cache_parse(&compile_cache, file.bytes, file.length, key, &fault, NULL) == SPATE_OK) {
            if (read_all(compile_cache) == 0 && original[i] != 0)
                harness_fail(__FILE__, __LINE__, "byte %zu of %zu: the flip was not noticed", i, file.length);
            spate_compile_cache_close(compile_cache);
        } else {
            CHECK(fault != SPATE_COMPILE_CACHE_FINE);
        }
        file.bytes[i] ^= 0x10;
    }
    free(original);
    spate_buffer_free(&file);
}

static const char *compile_cache_of_30_000_bytes(void) {
    static char blobs[30][1000];
    static char paths[30][16];
    spate_compile_cache_file files[30];
    const char *path = fresh("compile_cache");
    for (size_t i = 0; i < 30; i++) {
        memset(blobs[i], 'a' + (int)i, 999);
        snprintf(paths[i], sizeof(paths[i]), "/file%zu.rb", i);
        files[i] = file_of(paths[i], blobs[i]);
    }
    CHECK_OK(spate_compile_cache_write(path, key, files, 30, NULL, 0, NULL));
    return path;
}

TEST(cut_off_anywhere_it_is_short) {
    const char *path = compile_cache_of_30_000_bytes();
    CHECK(truncate(path, stat_of(path).st_size - 1) == 0);
    CHECK_FAULT(SPATE_COMPILE_CACHE_SHORT, path);
    for (off_t length = stat_of(path).st_size / 4096 * 4096; length >= 0; length -= 4096) {
        CHECK(truncate(path, length) == 0);
        CHECK_FAULT(SPATE_COMPILE_CACHE_SHORT, path);
    }
    CHECK(truncate(path, 111) == 0);
    CHECK_FAULT(SPATE_COMPILE_CACHE_SHORT, path);
}

TEST(zeros_are_no_compile_cache) {
    const char *path = compile_cache_of_30_000_bytes();
    off_t length = stat_of(path).st_size;
    CHECK(truncate(path, 0) == 0);
    CHECK(truncate(path, length) == 0);
    CHECK_FAULT(SPATE_COMPILE_CACHE_MAGIC, path);
}

/* A power loss may leave such a file: it begins with the right bytes, and the rest is zeros. */
TEST(file_that_ends_with_zeros_is_rejected) {
    spate_buffer file = bytes_of(compile_cache_of_30_000_bytes());
    spate_compile_cache *compile_cache;
    spate_compile_cache_fault fault;
    for (size_t from = 4096; from < file.length; from += 4096) {
        spate_buffer copy = {0};
        CHECK_OK(spate_buffer_reserve(&copy, file.length));
        memset(copy.bytes, 0, file.length);
        memcpy(copy.bytes, file.bytes, from);
        if (spate_compile_cache_parse(&compile_cache, copy.bytes, file.length, key, &fault, NULL) == SPATE_OK) {
            CHECK(read_all(compile_cache) > 0);
            spate_compile_cache_close(compile_cache);
        } else {
            CHECK_NUMBER(SPATE_COMPILE_CACHE_BAD_CHECKSUM, fault);
        }
        spate_buffer_free(&copy);
    }
    spate_buffer_free(&file);
}

TEST(a_header_that_claims_600_megabytes) {
    const char *path = written();
    uint64_t claimed = UINT64_C(600) << 20;
    int descriptor = open(path, O_WRONLY);
    CHECK(descriptor >= 0);
    CHECK(pwrite(descriptor, &claimed, sizeof(claimed), offsetof(disk_header, length)) == sizeof(claimed));
    CHECK_FAULT(SPATE_COMPILE_CACHE_SHORT, path);
    CHECK(ftruncate(descriptor, (off_t)claimed) == 0); /* a sparse file */
    CHECK(close(descriptor) == 0);
    CHECK_FAULT(SPATE_COMPILE_CACHE_LIMITS, path);
}

TEST(other_faults_are_distinguished) {
    static const struct {
        size_t at;
        spate_compile_cache_fault fault;
    } changed[] = {
        {0, SPATE_COMPILE_CACHE_MAGIC},          {offsetof(disk_header, version), SPATE_COMPILE_CACHE_OTHER_VERSION},
        {12, SPATE_COMPILE_CACHE_OTHER_VERSION}, {offsetof(disk_header, key), SPATE_COMPILE_CACHE_OTHER_KEY},
        {44, SPATE_COMPILE_CACHE_BAD_CHECKSUM},  {200, SPATE_COMPILE_CACHE_BAD_CHECKSUM},
    };
    spate_buffer file = bytes_of(written());
    for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++) {
        spate_compile_cache *compile_cache;
        spate_compile_cache_fault fault;
        file.bytes[changed[i].at] ^= 1;
        CHECK_STATUS(SPATE_STALE,
                     spate_compile_cache_parse(&compile_cache, file.bytes, file.length, key, &fault, NULL));
        CHECK_STRING(spate_compile_cache_fault_name(changed[i].fault), spate_compile_cache_fault_name(fault));
        file.bytes[changed[i].at] ^= 1;
    }
    spate_buffer_free(&file);
}

/* Sets invalid lengths and offsets and makes the checksum match, as a forged compile cache would. */
TEST(wrong_lengths_and_offsets_are_refused) {
    spate_buffer file = bytes_of(written());
    disk_header header;
    memcpy(&header, file.bytes, sizeof(header));
    size_t entry = (size_t)header.entries;
    size_t data = (size_t)header.data;
    const struct {
        size_t at;
        uint64_t value;
        size_t width;
    } lies[] = {
        {offsetof(disk_header, tables_length), 0, 8},
        {offsetof(disk_header, tables_length), UINT64_MAX, 8},
        {offsetof(disk_header, tables_length), 112, 8},
        {offsetof(disk_header, slots), 8, 8},
        {offsetof(disk_header, slots), UINT64_MAX - 7, 8},
        {offsetof(disk_header, slots), header.slots + 4, 8},
        {offsetof(disk_header, entries), UINT64_MAX - 7, 8},
        {offsetof(disk_header, entries), header.tables_length - 80, 8},
        {offsetof(disk_header, data), header.tables_length, 8},
        {offsetof(disk_header, strings), header.length, 8},
        {offsetof(disk_header, strings_length), UINT64_MAX, 8},
        {offsetof(disk_header, strings_length), 3, 8},
        {offsetof(disk_header, slot_count), 0, 4},
        {offsetof(disk_header, slot_count), 3, 4},
        {offsetof(disk_header, slot_count), 7, 4},
        {offsetof(disk_header, slot_count), UINT64_C(1) << 31, 4},
        {offsetof(disk_header, entry_count), UINT32_MAX, 4},
        {offsetof(disk_header, entry_count), 2, 4},
        {offsetof(disk_header, entry_count), 8, 4},
        {offsetof(disk_header, data_count), UINT32_MAX, 4},
        {offsetof(disk_header, data_count), 200, 4},
        {header.slots + 4, 99, 4},
        {header.slots + 12, UINT32_MAX, 4},
        {entry + offsetof(disk_entry, blob), UINT64_MAX - 15, 8},
        {entry + offsetof(disk_entry, blob), 0, 8},
        {entry + offsetof(disk_entry, blob), header.tables_length + 8, 8},
        {entry + offsetof(disk_entry, blob_length), UINT32_MAX, 4},
        {entry + offsetof(disk_entry, blob_length), 4096, 4},
        {entry + offsetof(disk_entry, path), UINT32_MAX, 4},
        {entry + offsetof(disk_entry, path_length), UINT32_MAX, 4},
        {entry + offsetof(disk_entry, path_length), 0, 4},
        {entry + offsetof(disk_entry, path_length), 3, 4},
        {entry + offsetof(disk_entry, path_length), 12, 4},
        {data + offsetof(disk_data, offset), UINT64_MAX - 15, 8},
        {data + offsetof(disk_data, length), UINT32_MAX, 4},
        {data + offsetof(disk_data, name), UINT32_MAX - 1, 4},
        {data + offsetof(disk_data, name_length), 99, 4},
    };
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        spate_compile_cache *compile_cache;
        spate_compile_cache_fault fault = SPATE_COMPILE_CACHE_FINE;
        uint8_t kept[8];
        memcpy(kept, file.bytes + lies[i].at, lies[i].width);
        uint64_t value = LE64(lies[i].value);
        memcpy(file.bytes + lies[i].at, &value, lies[i].width);
        seal(&file);
        spate_status status = spate_compile_cache_parse(&compile_cache, file.bytes, file.length, key, &fault, NULL);
        if (status != SPATE_STALE || (fault != SPATE_COMPILE_CACHE_LIMITS && fault != SPATE_COMPILE_CACHE_BAD_CHECKSUM))
            harness_fail(__FILE__, __LINE__, "lie %zu: %s", i, spate_compile_cache_fault_name(fault));
        memcpy(file.bytes + lies[i].at, kept, lies[i].width);
    }
    spate_buffer_free(&file);
}

/* Flips random bits, with and without correcting the checksum. Every cache that opens can be read to its end. */
TEST(random_flips_never_cause_reads_outside_the_file) {
    spate_buffer file = bytes_of(compile_cache_of_30_000_bytes());
    uint64_t random = 42;
    size_t taken = 0;
    for (int i = 0; i < (harness_full() ? 20000 : 2000); i++) {
        spate_compile_cache *compile_cache;
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        size_t at = (size_t)(random >> 33) % (i % 2 ? file.length : 6000);
        uint8_t flip = (uint8_t)(1u << (random >> 24) % 8);
        file.bytes[at] ^= flip;
        if (i % 4 < 2)
            seal(&file);
        if (spate_compile_cache_parse(&compile_cache, file.bytes, file.length, key, NULL, NULL) == SPATE_OK) {
            read_all(compile_cache);
            spate_compile_cache_close(compile_cache);
            taken++;
        }
        file.bytes[at] ^= flip;
        seal(&file);
    }
    CHECK(taken > 0);
    spate_buffer_free(&file);
}

TEST(failed_allocations_return_an_error) {
    const char *path = written();
    const char *other = fresh("compile_cache");
    spate_compile_cache_file file = file_of("/a", "a");
    for (long n = 0; n < 4; n++) {
        spate_compile_cache *compile_cache = NULL;
        harness_fail_allocation(n);
        spate_status status = spate_compile_cache_open(&compile_cache, path, key, false, NULL, NULL);
        harness_fail_allocation(-1);
        CHECK(status == SPATE_OK || status == SPATE_NO_MEMORY);
        CHECK((status == SPATE_OK) == (compile_cache != NULL));
        spate_compile_cache_close(compile_cache);
        harness_fail_allocation(n);
        status = spate_compile_cache_write(other, key, &file, 1, NULL, 0, NULL);
        harness_fail_allocation(-1);
        CHECK(status == SPATE_OK || status == SPATE_NO_MEMORY);
        CHECK((status == SPATE_OK) == exists(other));
        unlink(other);
    }
}
