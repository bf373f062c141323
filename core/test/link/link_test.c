#include "test/scratch.h"

#include "base/bounds.h"

#include "link/link.h"
#include "store/store.h"

#include <zlib.h>

#define FILES 150

static spate_store *store;
static spate_pool *pool;

/* Makes a package with FILES files in some folders, a symlink and an empty folder. The `salt` makes its content
 * unique. */
static spate_manifest *package(const char *salt, char *path_out) {
    static char names[FILES][32];
    spate_entry entries[FILES + 2];
    spate_manifest *manifest;
    const uint8_t archive[SPATE_SHA256_BYTES] = {7};
    if (!store) {
        CHECK_OK(spate_store_open(&store, fresh("store"), NULL));
        CHECK_OK(spate_pool_new(&pool, 3));
    }
    for (int i = 0; i < FILES; i++) {
        char text[64];
        snprintf(names[i], sizeof(names[i]), "lib/d%d/e%d/f%d", i % 5, i % 3, i);
        snprintf(text, sizeof(text), "%s %d", salt, i);
        entries[i] = (spate_entry){.path = names[i], .target = ""};
        CHECK_OK(
            spate_store_put(store, (const uint8_t *)text, strlen(text), i % 10 ? 0644 : 0755, NULL, &entries[i], NULL));
    }
    entries[FILES] = (spate_entry){.type = SPATE_ENTRY_SYMLINK, .mode = 0777, .path = "link", .target = "lib/d0"};
    entries[FILES + 1] =
        (spate_entry){.type = SPATE_ENTRY_DIRECTORY, .mode = 0711, .path = "empty/folder", .target = ""};
    const char *path = fresh("manifest");
    CHECK_OK(spate_manifest_write(path, archive, entries, FILES + 2, "", 0, NULL));
    if (path_out)
        strcpy(path_out, path);
    CHECK_OK(spate_manifest_open(&manifest, path, NULL));
    return manifest;
}

static const char *object_of(const spate_manifest *manifest, size_t index) {
    static char path[PATH_MAX];
    spate_entry entry = spate_manifest_entry(manifest, index);
    spate_store_object_path(store, entry.sha256, entry.mode, path);
    return path;
}

static size_t index_of(const spate_manifest *manifest, const char *path) {
    size_t index;
    CHECK(spate_manifest_find(manifest, path, &index));
    return index;
}

static const char *below(const char *folder, const char *path) {
    static char full[2 * PATH_MAX];
    snprintf(full, sizeof(full), "%s/%s", folder, path);
    return full;
}

static void check_tree(const spate_manifest *manifest, const char *destination, bool linked) {
    for (size_t i = 0; i < spate_manifest_count(manifest); i++) {
        spate_entry entry = spate_manifest_entry(manifest, i);
        struct stat info = stat_of(below(destination, entry.path));
        if (entry.type == SPATE_ENTRY_SYMLINK) {
            CHECK(S_ISLNK(info.st_mode));
            continue;
        }
        CHECK_NUMBER(entry.mode, info.st_mode & 07777);
        if (entry.type == SPATE_ENTRY_DIRECTORY)
            continue;
        CHECK_NUMBER(entry.size, info.st_size);
        CHECK_NUMBER(entry.mtime_ns, spate_mtime_ns(&info));
        bool shared = linked && spate_store_shares(entry.path, entry.mode);
        CHECK(shared == (info.st_ino == stat_of(object_of(manifest, i)).st_ino));
    }
}

static spate_link_job job_of(const spate_manifest *const *manifests, const char *destination,
                             spate_link_method method) {
    return (spate_link_job){.manifests = manifests, .manifest_count = 1, .destination = destination, .method = method};
}

TEST(trees_are_linked_or_copied) {
    const spate_manifest *manifest = package("methods", NULL);
    for (int method = SPATE_LINK_HARD; method <= SPATE_LINK_COPY; method++) {
        char destination[PATH_MAX];
        snprintf(destination, sizeof(destination), "%s/with/parents", fresh("tree"));
        spate_link_job job = job_of(&manifest, destination, (spate_link_method)method);
        mode_t before = umask(method == SPATE_LINK_COPY ? 077 : 022);
        CHECK_OK(spate_link(store, pool, &job, 1, NULL));
        umask(before);
        CHECK_NUMBER(FILES, job.linked);
        if (method == SPATE_LINK_HARD)
            CHECK(job.copied <= FILES / 10); /* the executable files, unless they can be cloned */
        if (method == SPATE_LINK_COPY)
            CHECK_NUMBER(FILES, job.copied);
        check_tree(manifest, destination, method == SPATE_LINK_HARD);
        spate_difference *differences;
        size_t count;
        CHECK_OK(spate_check_trees(pool, &job, 1, NULL, &differences, &count, NULL));
        CHECK_NUMBER(0, count);
        free(differences);
    }
    spate_manifest_close((spate_manifest *)manifest);
}

TEST(another_file_system_gets_copies) {
    const spate_manifest *manifest = package("afar", NULL);
    char folder[] = "/dev/shm/spate-link-XXXXXX";
    if (!mkdtemp(folder) || stat_of(folder).st_dev == stat_of(scratch_root).st_dev) {
        printf("skipped: no second file system at /dev/shm\n");
    } else {
        char destination[PATH_MAX];
        snprintf(destination, sizeof(destination), "%s/tree", folder);
        spate_link_job job = job_of(&manifest, destination, SPATE_LINK_HARD);
        CHECK_OK(spate_link(store, pool, &job, 1, NULL));
        CHECK_NUMBER(FILES, job.copied);
        check_tree(manifest, destination, false);
        spate_remove_tree(folder, NULL);
    }
    spate_manifest_close((spate_manifest *)manifest);
}

/* The bundle shares an inode that belongs to another user, and that user may edit it at any time. */
TEST(a_shared_file_of_another_owner_differs) {
    const spate_manifest *manifest = package("owners", NULL);
    const uid_t owner = getuid();
    char tree[PATH_MAX];
    strcpy(tree, fresh("tree"));
    spate_link_job job = job_of(&manifest, tree, SPATE_LINK_HARD);
    CHECK_OK(spate_link(store, pool, &job, 1, NULL));
    if (owner != 0) {
        printf("skipped: only root gives files away\n");
    } else {
        spate_difference *differences;
        size_t count;
        CHECK(chown(below(tree, "lib/d1/e1/f1"), 65534, 65534) == 0); /* a shared file */
        CHECK(chown(below(tree, "lib/d0/e0/f0"), 65534, 65534) == 0); /* an executable file, which is never shared */
        CHECK_OK(spate_check_trees(pool, &job, 1, NULL, &differences, &count, NULL));
        CHECK_NUMBER(0, count);
        free(differences);
        CHECK_OK(spate_check_trees(pool, &job, 1, &owner, &differences, &count, NULL));
        CHECK_NUMBER(1, count);
        CHECK_STRING("lib/d1/e1/f1", spate_manifest_entry(manifest, differences[0].entry).path);
        free(differences);
    }
    spate_manifest_close((spate_manifest *)manifest);
}

/* A file that was edited in one project is not reused. The path gets a new inode, and the edited inode stays
 * unchanged. */
TEST(existing_files_are_replaced) {
    const spate_manifest *manifest = package("again", NULL);
    char tree[PATH_MAX];
    strcpy(tree, fresh("tree"));
    spate_link_job job = job_of(&manifest, tree, SPATE_LINK_HARD);
    CHECK_OK(spate_link(store, pool, &job, 1, NULL));
    char outside[PATH_MAX];
    strcpy(outside, fresh("outside"));
    write_text(outside, "outside", 0644);
    CHECK(unlink(below(tree, "lib/d1/e1/f1")) == 0);
    CHECK(link(outside, below(tree, "lib/d1/e1/f1")) == 0);
    CHECK(unlink(below(tree, "lib/d2/e2/f2")) == 0);
    CHECK(symlink(outside, below(tree, "lib/d2/e2/f2")) == 0);
    CHECK(unlink(below(tree, "link")) == 0);
    CHECK(symlink("elsewhere", below(tree, "link")) == 0);
    for (int method = SPATE_LINK_HARD; method <= SPATE_LINK_COPY; method += SPATE_LINK_COPY) {
        job.method = (spate_link_method)method;
        CHECK_OK(spate_link(store, pool, &job, 1, NULL));
        check_tree(manifest, tree, method == SPATE_LINK_HARD);
        check_text(outside, "outside");
    }
    char target[64] = "";
    CHECK_NUMBER(6, readlink(below(tree, "link"), target, sizeof(target)));
    CHECK_STRING("lib/d0", target);
    spate_manifest_close((spate_manifest *)manifest);
}

TEST(a_symlink_in_a_folders_place_is_not_followed) {
    const spate_manifest *manifest = package("trap", NULL);
    char tree[PATH_MAX];
    char outside[PATH_MAX];
    strcpy(tree, fresh("tree"));
    strcpy(outside, fresh("outside"));
    CHECK(mkdir(tree, 0777) == 0);
    CHECK(mkdir(outside, 0777) == 0);
    CHECK(symlink(outside, below(tree, "lib")) == 0);
    spate_link_job job = job_of(&manifest, tree, SPATE_LINK_HARD);
    CHECK_STATUS(SPATE_SYSTEM, spate_link(store, pool, &job, 1, NULL));
    CHECK_NUMBER(20, job.error.system_errno); /* ENOTDIR */
    CHECK(rmdir(outside) == 0);
    spate_manifest_close((spate_manifest *)manifest);
}

TEST(a_damaged_object_stops_its_job_only) {
    for (int kind = 0; kind < 3; kind++) {
        const spate_manifest *manifests[3];
        spate_link_job jobs[3];
        char trees[3][PATH_MAX];
        for (int i = 0; i < 3; i++) {
            char salt[32];
            snprintf(salt, sizeof(salt), "damage %d %d", kind, i);
            manifests[i] = package(salt, NULL);
            strcpy(trees[i], fresh("tree"));
            jobs[i] = job_of(&manifests[i], trees[i], SPATE_LINK_HARD);
        }
        size_t bad = index_of(manifests[1], "lib/d4/e2/f44");
        if (kind == 0)
            CHECK(unlink(object_of(manifests[1], bad)) == 0);
        else if (kind == 1)
            write_text(object_of(manifests[1], bad), "poison", 0644);
        else
            CHECK(chmod(object_of(manifests[1], bad), 0600) == 0);
        CHECK_STATUS(SPATE_STALE, spate_link(store, pool, jobs, 3, NULL));
        CHECK_OK(jobs[0].status);
        if (jobs[2].status != SPATE_OK)
            harness_fail(__FILE__, __LINE__, "kind %d: %s: %s", kind, jobs[2].error.member, jobs[2].error.message);
        CHECK_STATUS(SPATE_STALE, jobs[1].status);
        CHECK_NUMBER(bad, jobs[1].damaged_entry);
        CHECK_NUMBER(0, jobs[1].damaged_manifest);
        CHECK_STRING("lib/d4/e2/f44", jobs[1].error.member);
        CHECK(!exists(below(trees[1], "lib/d4/e2/f44"))); /* the damaged object is never linked */
        check_tree(manifests[0], trees[0], true);
        check_tree(manifests[2], trees[2], true);
        for (int i = 0; i < 3; i++)
            spate_manifest_close((spate_manifest *)manifests[i]);
    }
}

/* A cached build is layered over its package. */
TEST(the_upper_manifest_wins) {
    const spate_manifest *layers[2] = {package("lower", NULL), NULL};
    const uint8_t archive[SPATE_SHA256_BYTES] = {8};
    spate_entry entries[2] = {{.path = "lib/d0/e0/f0", .target = ""}, {.path = "lib/built.so", .target = ""}};
    char path[PATH_MAX];
    strcpy(path, fresh("manifest"));
    for (int i = 0; i < 2; i++)
        CHECK_OK(spate_store_put(store, (const uint8_t *)"built", 5, 0755, NULL, &entries[i], NULL));
    CHECK_OK(spate_manifest_write(path, archive, entries, 2, "", 0, NULL));
    spate_manifest *upper;
    CHECK_OK(spate_manifest_open(&upper, path, NULL));
    layers[1] = upper;
    char tree[PATH_MAX];
    strcpy(tree, fresh("tree"));
    spate_link_job job = job_of(layers, tree, SPATE_LINK_HARD);
    job.manifest_count = 2;
    CHECK_OK(spate_link(store, pool, &job, 1, NULL));
    CHECK_NUMBER(FILES + 1, job.linked);
    check_text(below(tree, "lib/d0/e0/f0"), "built");
    check_text(below(tree, "lib/built.so"), "built");
    check_text(below(tree, "lib/d1/e1/f1"), "lower 1");

    spate_difference *differences;
    size_t count;
    write_text(below(tree, "lib/d1/e1/f1"), "edited", 0644);
    CHECK(unlink(below(tree, "lib/built.so")) == 0);
    CHECK(unlink(below(tree, "lib/d2/e2/f2")) == 0);
    CHECK(symlink("x", below(tree, "lib/d2/e2/f2")) == 0);
    CHECK(unlink(below(tree, "link")) == 0);
    CHECK(symlink("x", below(tree, "link")) == 0);
    CHECK_OK(spate_check_trees(pool, &job, 1, NULL, &differences, &count, NULL));
    CHECK_NUMBER(4, count);
    static const struct {
        const char *path;
        size_t manifest;
        spate_difference_kind kind;
    } expected[] = {{"lib/built.so", 1, SPATE_FILE_MISSING},
                    {"lib/d1/e1/f1", 0, SPATE_FILE_CHANGED},
                    {"lib/d2/e2/f2", 0, SPATE_FILE_TYPE},
                    {"link", 0, SPATE_FILE_CHANGED}};
    for (size_t i = 0; i < 4; i++) {
        CHECK_NUMBER(expected[i].manifest, differences[i].manifest);
        CHECK_NUMBER(expected[i].kind, differences[i].kind);
        CHECK_STRING(expected[i].path,
                     spate_manifest_entry(layers[differences[i].manifest], differences[i].entry).path);
    }
    free(differences);
    spate_manifest_close((spate_manifest *)layers[0]);
    spate_manifest_close(upper);
}

/* A folder was moved away and replaced by a link to it. The check must not follow the link, although the files are
 * the same. */
TEST(a_check_follows_no_link) {
    const spate_manifest *manifest = package("linked", NULL);
    char tree[PATH_MAX];
    char away[PATH_MAX];
    strcpy(tree, fresh("tree"));
    strcpy(away, fresh("away"));
    spate_link_job job = job_of(&manifest, tree, SPATE_LINK_HARD);
    CHECK_OK(spate_link(store, pool, &job, 1, NULL));
    CHECK(rename(below(tree, "lib/d1"), away) == 0);
    for (int kind = 0; kind < 2; kind++) {
        spate_difference *differences;
        size_t count;
        size_t inside = 0;
        if (kind == 0)
            CHECK(symlink(away, below(tree, "lib/d1")) == 0);
        else
            write_text(below(tree, "lib/d1"), "", 0644);
        CHECK_OK(spate_check_trees(pool, &job, 1, NULL, &differences, &count, NULL));
        for (size_t i = 0; i < spate_manifest_count(manifest); i++)
            inside += strncmp(spate_manifest_entry(manifest, i).path, "lib/d1/", 7) == 0;
        CHECK(inside > 1);
        CHECK_NUMBER(inside, count);
        for (size_t i = 0; i < count; i++) {
            CHECK_NUMBER(SPATE_FILE_TYPE, differences[i].kind);
            CHECK(strncmp(spate_manifest_entry(manifest, differences[i].entry).path, "lib/d1/", 7) == 0);
        }
        free(differences);
        CHECK(unlink(below(tree, "lib/d1")) == 0);
    }
    spate_manifest_close((spate_manifest *)manifest);
}

/* Changes the manifest to one that was written in a different boot. */
static void age(const char *path) {
    spate_buffer file = {0};
    CHECK_OK(spate_read_file(path, 1 << 20, &file, NULL, NULL));
    file.bytes[80] ^= 1;
    uint32_t sum = LE32((uint32_t)crc32(0, file.bytes + 16, (unsigned int)(file.length - 16)));
    memcpy(file.bytes + 12, &sum, sizeof(sum));
    CHECK_OK(spate_write_file(path, file.bytes, file.length, NULL));
    spate_buffer_free(&file);
}

TEST(content_is_compared_after_another_boot) {
    char path[PATH_MAX];
    char tree[PATH_MAX];
    spate_manifest_close(package("reboot", path));
    age(path);
    spate_manifest *manifest;
    CHECK_OK(spate_manifest_open(&manifest, path, NULL));
    CHECK(!spate_manifest_of_this_boot(manifest));
    struct timespec times[2] = {{0, UTIME_OMIT}, {12345, 0}}; /* a restored cache has lost its file times */
    size_t moved = index_of(manifest, "lib/d0/e0/f15");
    CHECK(utimensat(AT_FDCWD, object_of(manifest, moved), times, 0) == 0);

    const spate_manifest *borrowed = manifest;
    strcpy(tree, fresh("tree"));
    spate_link_job job = job_of(&borrowed, tree, SPATE_LINK_HARD);
    CHECK_OK(spate_link(store, pool, &job, 1, NULL));
    check_tree(manifest, tree, true);
    CHECK_OK(spate_manifest_renew(manifest, path, NULL));
    spate_manifest_close(manifest);
    CHECK_OK(spate_manifest_open(&manifest, path, NULL));
    CHECK(spate_manifest_of_this_boot(manifest));
    CHECK_NUMBER(INT64_C(12345000000000), spate_manifest_entry(manifest, moved).mtime_ns);
    spate_manifest_close(manifest);

    /* The size and the time are the same, but a power loss or an editor changed the content. */
    age(path);
    CHECK_OK(spate_manifest_open(&manifest, path, NULL));
    borrowed = manifest;
    write_text(object_of(manifest, moved), "reboot XX", 0644);
    CHECK(utimensat(AT_FDCWD, object_of(manifest, moved), times, 0) == 0);
    size_t *damaged;
    size_t count;
    CHECK_OK(spate_verify_manifest(store, pool, manifest, NULL, &damaged, &count, NULL));
    CHECK_NUMBER(1, count);
    CHECK_NUMBER(moved, damaged[0]);
    free(damaged);
    CHECK_STATUS(SPATE_STALE, spate_manifest_renew(manifest, path, NULL));
    strcpy(tree, fresh("tree"));
    job = job_of(&borrowed, tree, SPATE_LINK_HARD);
    CHECK_STATUS(SPATE_STALE, spate_link(store, pool, &job, 1, NULL));
    CHECK_NUMBER(moved, job.damaged_entry);
    spate_manifest_close(manifest);
}

TEST(cancelled_jobs_say_so) {
    const spate_manifest *manifest = package("cancel", NULL);
    char tree[PATH_MAX];
    strcpy(tree, fresh("tree"));
    spate_link_job job = job_of(&manifest, tree, SPATE_LINK_HARD);
    spate_cancel cancel = {1};
    CHECK_STATUS(SPATE_CANCELLED, spate_link(store, pool, &job, 1, &cancel));
    CHECK_STATUS(SPATE_CANCELLED, job.status);
    CHECK_NUMBER(0, job.linked);
    spate_manifest_close((spate_manifest *)manifest);
}

/* Runs last and frees what the other tests shared. */
TEST(zz_the_store_is_closed) {
    spate_pool_free(pool);
    spate_store_close(store);
}
