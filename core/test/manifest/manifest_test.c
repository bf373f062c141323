#include "test/scratch.h"

#include "base/bounds.h"

#include "machine/boot_id.h"
#include "manifest/manifest.h"

#include <zlib.h>

static const uint8_t archive[SPATE_SHA256_BYTES] = {1, 2, 3};

static spate_entry file_entry(const char *path, uint64_t size) {
    return (spate_entry){.type = SPATE_ENTRY_FILE,
                         .mode = 0644,
                         .size = size,
                         .mtime_ns = -5,
                         .sha256 = {9},
                         .path = path,
                         .target = ""};
}

static const char *written(void) {
    const char *path = fresh("manifest");
    spate_entry entries[] = {
        file_entry("lib/z.rb", 5),
        {.type = SPATE_ENTRY_SYMLINK, .mode = 0777, .path = "link", .target = "lib/z.rb"},
        {.type = SPATE_ENTRY_DIRECTORY, .mode = 0755, .path = "empty", .target = ""},
        file_entry("lib-a", UINT64_C(1) << 40),
    };
    CHECK_OK(spate_manifest_write(path, archive, entries, 4, "name: t\xc3\xa4st\n", 13, NULL));
    return path;
}

TEST(written_content_is_read) {
    spate_manifest *manifest;
    size_t length = 0;
    size_t index;
    CHECK_OK(spate_manifest_open(&manifest, written(), NULL));
    CHECK_NUMBER(4, spate_manifest_count(manifest));
    static const char *const sorted[] = {"empty", "lib-a", "lib/z.rb", "link"};
    for (size_t i = 0; i < 4; i++) {
        CHECK_STRING(sorted[i], spate_manifest_entry(manifest, i).path);
        CHECK(spate_manifest_find(manifest, sorted[i], &index));
        CHECK_NUMBER(i, index);
    }
    CHECK(!spate_manifest_find(manifest, "lib", &index));
    CHECK(!spate_manifest_find(manifest, "zzz", &index));
    spate_entry entry = spate_manifest_entry(manifest, 2);
    CHECK_NUMBER(SPATE_ENTRY_FILE, entry.type);
    CHECK_NUMBER(0644, entry.mode);
    CHECK_NUMBER(5, entry.size);
    CHECK_NUMBER(-5, entry.mtime_ns);
    CHECK_NUMBER(9, entry.sha256[0]);
    CHECK_STRING("", entry.target);
    CHECK_STRING("lib/z.rb", spate_manifest_entry(manifest, 3).target);
    CHECK_NUMBER(SPATE_ENTRY_DIRECTORY, spate_manifest_entry(manifest, 0).type);
    CHECK_BYTES("name: t\xc3\xa4st\n", spate_manifest_facts(manifest, &length), 13);
    CHECK_NUMBER(13, length);
    CHECK_BYTES(archive, spate_manifest_sha256(manifest), sizeof(archive));
    CHECK_NUMBER((UINT64_C(1) << 40) + 5, spate_manifest_bytes(manifest));
    CHECK(spate_manifest_of_this_boot(manifest));
    CHECK(spate_manifest_trusts(manifest, 2));
    spate_manifest_close(manifest);
    spate_manifest_close(NULL);
}

TEST(empty_manifest_is_valid) {
    spate_manifest *manifest;
    const char *path = fresh("manifest");
    size_t length;
    CHECK_OK(spate_manifest_write(path, archive, NULL, 0, NULL, 0, NULL));
    CHECK_OK(spate_manifest_open(&manifest, path, NULL));
    CHECK_NUMBER(0, spate_manifest_count(manifest));
    spate_manifest_facts(manifest, &length);
    CHECK_NUMBER(0, length);
    spate_manifest_close(manifest);
}

/* The reader rejects any changed byte and any shorter length. */
TEST(damage_is_stale) {
    spate_buffer file = {0};
    spate_manifest *manifest;
    CHECK_OK(spate_read_file(written(), 1 << 20, &file, NULL, NULL));
    for (size_t i = 0; i < file.length; i++) {
        file.bytes[i] ^= 0x40;
        spate_error error = {0};
        CHECK_STATUS(SPATE_STALE, spate_manifest_parse(&manifest, file.bytes, file.length, &error));
        CHECK(manifest == NULL);
        CHECK_NUMBER(SPATE_STALE, error.status);
        file.bytes[i] ^= 0x40;
        CHECK_STATUS(SPATE_STALE, spate_manifest_parse(&manifest, file.bytes, i, NULL));
    }
    CHECK_OK(spate_manifest_parse(&manifest, file.bytes, file.length, NULL));
    spate_manifest_close(manifest);
    spate_buffer_free(&file);
}

/* Makes the checksum right again, as a forger would. */
static void seal(spate_buffer *file) {
    uint32_t sum = LE32((uint32_t)crc32(0, file->bytes + 16, (unsigned int)(file->length - 16)));
    memcpy(file->bytes + 12, &sum, 4);
}

/* Sets fields at known offsets to values that could mislead a reader. The checksum is right. */
TEST(hostile_fields_are_stale) {
    static const struct {
        size_t at;
        uint64_t value;
        size_t width;
    } wrong[] = {
        {8, 2, 4},           {16, 127, 4},         {20, 5, 4},          {20, UINT32_MAX, 4}, {32, UINT64_MAX, 8},
        {32, 129, 8},        {40, UINT64_MAX, 8},  {48, UINT64_MAX, 8}, {56, 1 << 30, 8},    {64, UINT64_MAX - 3, 8},
        {128 + 48, 3, 4},    {128 + 52, 04755, 4}, {128 + 56, 9999, 4}, {128 + 60, 0, 4},    {128 + 60, UINT32_MAX, 4},
        {128 + 64, 9999, 4}, {128 + 68, 7, 4},     {128 + 56, 0, 4},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        spate_buffer file = {0};
        spate_manifest *manifest;
        CHECK_OK(spate_read_file(written(), 1 << 20, &file, NULL, NULL));
        uint64_t value = LE64(wrong[i].value);
        memcpy(file.bytes + wrong[i].at, &value, wrong[i].width);
        seal(&file);
        if (spate_manifest_parse(&manifest, file.bytes, file.length, NULL) != SPATE_STALE)
            harness_fail(__FILE__, __LINE__, "field at %zu: was taken", wrong[i].at);
        spate_buffer_free(&file);
    }
}

TEST(paths_that_leave_the_tree_are_stale) {
    static const char *const paths[] = {"/etc/passwd", "../x", "a/../../x", "a/..", ".."};
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        spate_manifest *manifest;
        const char *path = fresh("manifest");
        spate_entry entry = file_entry(paths[i], 1);
        CHECK_OK(spate_manifest_write(path, archive, &entry, 1, "", 0, NULL));
        CHECK_STATUS(SPATE_STALE, spate_manifest_open(&manifest, path, NULL));
    }
    spate_manifest *manifest;
    const char *path = fresh("manifest");
    spate_entry entry = file_entry("..a/b..", 1);
    CHECK_OK(spate_manifest_write(path, archive, &entry, 1, "", 0, NULL));
    CHECK_OK(spate_manifest_open(&manifest, path, NULL));
    spate_manifest_close(manifest);
}

TEST(missing_files_are_distinguished) {
    spate_manifest *manifest;
    spate_error error;
    CHECK_STATUS(SPATE_SYSTEM, spate_manifest_open(&manifest, in_scratch("no-such-file"), &error));
    CHECK(manifest == NULL);
    CHECK_NUMBER(2, error.system_errno); /* ENOENT */
    CHECK_STATUS(SPATE_STALE, spate_manifest_open(&manifest, in_scratch(""), NULL));
}

TEST(manifest_is_written_atomically) {
    const char *folder = fresh("folder");
    char path[PATH_MAX];
    spate_error error;
    spate_entry entry = file_entry("a", 1);
    snprintf(path, sizeof(path), "%s/manifest", folder);
    CHECK_STATUS(SPATE_SYSTEM, spate_manifest_write(path, archive, &entry, 1, "", 0, &error));
    CHECK(mkdir(folder, 0777) == 0);
    CHECK(mkdir(path, 0777) == 0); /* a folder in the way, which cannot be replaced */
    CHECK_STATUS(SPATE_SYSTEM, spate_manifest_write(path, archive, &entry, 1, "", 0, &error));
    CHECK(rmdir(path) == 0);
    CHECK(rmdir(folder) == 0); /* nothing else is left in it */
}

TEST(another_boot_is_renewed_once_all_is_noted) {
    spate_buffer file = {0};
    spate_manifest *manifest;
    const char *path = written();
    CHECK(spate_boot_id() != NULL);
    CHECK_OK(spate_read_file(path, 1 << 20, &file, NULL, NULL));
    file.bytes[80] ^= 1;
    seal(&file);
    CHECK_OK(spate_write_file(path, file.bytes, file.length, NULL));
    spate_buffer_free(&file);

    CHECK_OK(spate_manifest_open(&manifest, path, NULL));
    CHECK(!spate_manifest_of_this_boot(manifest));
    CHECK(!spate_manifest_trusts(manifest, 1));
    spate_manifest_note(manifest, 1, 77);
    CHECK(spate_manifest_trusts(manifest, 1));
    CHECK_STATUS(SPATE_STALE, spate_manifest_renew(manifest, path, NULL));
    spate_manifest_note(manifest, 2, 78);
    CHECK_OK(spate_manifest_renew(manifest, path, NULL));
    CHECK(spate_manifest_of_this_boot(manifest));
    spate_manifest_close(manifest);

    CHECK_OK(spate_manifest_open(&manifest, path, NULL));
    CHECK(spate_manifest_of_this_boot(manifest));
    CHECK_NUMBER(77, spate_manifest_entry(manifest, 1).mtime_ns);
    CHECK_NUMBER(78, spate_manifest_entry(manifest, 2).mtime_ns);
    CHECK_STRING("lib/z.rb", spate_manifest_entry(manifest, 3).target);
    spate_manifest_close(manifest);
}

TEST(failed_allocations_return_an_error) {
    const char *path = written();
    for (long n = 0; n < 3; n++) {
        spate_manifest *manifest = NULL;
        harness_fail_allocation(n);
        spate_status status = spate_manifest_open(&manifest, path, NULL);
        harness_fail_allocation(-1);
        CHECK(status == SPATE_OK || status == SPATE_NO_MEMORY);
        CHECK((status == SPATE_OK) == (manifest != NULL));
        spate_manifest_close(manifest);
    }
}
