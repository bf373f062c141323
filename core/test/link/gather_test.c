#include "test/scratch.h"

#include "link/gather.h"

#define FILES 4000

static spate_manifest *written(const spate_entry *entries, size_t count) {
    const uint8_t archive[SPATE_SHA256_BYTES] = {7};
    spate_manifest *manifest;
    const char *path = fresh("manifest");
    CHECK_OK(spate_manifest_write(path, archive, entries, count, "", 0, NULL));
    CHECK_OK(spate_manifest_open(&manifest, path, NULL));
    return manifest;
}

static spate_manifest *package(void) {
    const spate_entry entries[] = {{.path = "a", .target = "", .mode = 0644, .size = 3, .mtime_ns = 9, .sha256 = {1}},
                                   {.path = "b/c", .type = SPATE_ENTRY_SYMLINK, .target = "../a"}};
    return written(entries, 2);
}

TEST(trees_and_links_are_one_manifest) {
    spate_manifest *one = package();
    const spate_manifest *const manifests[] = {one};
    const spate_link_job jobs[] = {{.manifests = manifests, .manifest_count = 1, .destination = "y/z"},
                                   {.manifests = manifests, .manifest_count = 1, .destination = "x"}};
    const spate_symlink links[] = {{.path = "x-link", .target = "x"}, {.path = "text", .text = "t", .length = 1}};
    static const char *const paths[] = {"x-link", "x/a", "x/b/c", "y/z/a", "y/z/b/c"};
    const char *path = fresh("gathered");
    spate_manifest *all;
    size_t length;
    CHECK_OK(spate_gather(path, jobs, 2, links, 2, "facts", 5, NULL));
    CHECK_OK(spate_manifest_open(&all, path, NULL));
    CHECK_NUMBER(5, spate_manifest_count(all));
    for (size_t i = 0; i < 5; i++)
        CHECK_STRING(paths[i], spate_manifest_entry(all, i).path);
    CHECK_STRING("x", spate_manifest_entry(all, 0).target);
    spate_entry file = spate_manifest_entry(all, 3);
    CHECK_NUMBER(9, file.mtime_ns);
    CHECK_NUMBER(0644, file.mode);
    CHECK_NUMBER(1, file.sha256[0]);
    CHECK(strncmp(spate_manifest_facts(all, &length), "facts", 5) == 0 && length == 5);
    spate_manifest_close(all);
    spate_manifest_close(one);
}

TEST(a_path_that_occurs_twice_is_refused) {
    spate_manifest *one = package();
    const spate_manifest *const manifests[] = {one};
    const spate_link_job job = {.manifests = manifests, .manifest_count = 1, .destination = "x"};
    const spate_symlink link = {.path = "x/a", .target = "y"};
    const char *path = fresh("gathered");
    spate_error error;
    CHECK_NUMBER(SPATE_REFUSED, spate_gather(path, &job, 1, &link, 1, "", 0, &error));
    CHECK_STRING("x/a", error.member);
    CHECK(access(path, F_OK) != 0);
    spate_manifest_close(one);
}

TEST(a_large_manifest_is_mapped) {
    static char names[FILES][80];
    static spate_entry entries[FILES];
    for (int i = 0; i < FILES; i++) {
        snprintf(names[i], sizeof(names[i]), "folder/with/a/long/name/%06d", i);
        entries[i] = (spate_entry){.path = names[i], .target = "", .size = (uint64_t)i};
    }
    spate_manifest *manifest = written(entries, FILES);
    CHECK_NUMBER(FILES, spate_manifest_count(manifest));
    CHECK_STRING(names[FILES - 1], spate_manifest_entry(manifest, FILES - 1).path);
    spate_manifest_close(manifest);
}
