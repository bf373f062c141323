#include "test/scratch.h"

#include "digest/hex.h"
#include "store/store.h"

static spate_store *opened(void) {
    spate_store *store;
    CHECK_OK(spate_store_open(&store, fresh("store"), NULL));
    return store;
}

static spate_entry put(spate_store *store, const char *text, uint32_t mode, const char *tree_path) {
    spate_entry entry = {0};
    CHECK_OK(spate_store_put(store, (const uint8_t *)text, strlen(text), mode, tree_path, &entry, NULL));
    return entry;
}

static const char *object_of(spate_store *store, const spate_entry *entry) {
    static char path[PATH_MAX];
    spate_store_object_path(store, entry->sha256, entry->mode, path);
    return path;
}

static spate_object_state state_of(spate_store *store, const spate_entry *entry, bool hash) {
    spate_object_state state;
    CHECK_OK(spate_store_examine(store, entry, hash, &state, NULL, NULL));
    return state;
}

TEST(objects_are_named_by_hash_and_mode) {
    spate_store *store;
    char path[PATH_MAX];
    char expected[PATH_MAX];
    const uint8_t hash[SPATE_SHA256_BYTES] = {0xab, 0xcd};
    CHECK_OK(spate_store_open(&store, in_scratch("named/store/v1///"), NULL));
    CHECK_STRING(in_scratch("named/store/v1"), spate_store_root(store));
    static const struct {
        uint32_t mode;
        const char *text;
    } modes[] = {{0644, "644"}, {0755, "755"}, {0400, "400"}, {0044, "44"}, {0007, "7"}, {0, "0"}, {0707, "707"}};
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        spate_store_object_path(store, hash, modes[i].mode, path);
        snprintf(expected, sizeof(expected), "%s/objects/ab/abcd%060d-%s", spate_store_root(store), 0, modes[i].text);
        CHECK_STRING(expected, path);
    }
    spate_store_close(store);
    spate_store_close(NULL);
}

TEST(put_writes_once_and_shares) {
    spate_store *store = opened();
    const char *first = fresh("file");
    const char *second = fresh("file");
    spate_entry entry = put(store, "hello", 0640, first);
    CHECK_NUMBER(0640, entry.mode);
    CHECK_NUMBER(5, entry.size);
    char hex[65];
    spate_hex(entry.sha256, 32, hex);
    CHECK_STRING("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", hex);
    struct stat object = stat_of(object_of(store, &entry));
    CHECK_NUMBER(0640, object.st_mode & 07777);
    CHECK_NUMBER(entry.mtime_ns, spate_mtime_ns(&object));
    CHECK_NUMBER(2, object.st_nlink);
    CHECK_NUMBER(object.st_ino, stat_of(first).st_ino);

    spate_entry again = put(store, "hello", 0640, second);
    CHECK_NUMBER(entry.mtime_ns, again.mtime_ns);
    CHECK_NUMBER(object.st_ino, stat_of(second).st_ino);
    CHECK_NUMBER(3, stat_of(first).st_nlink);
    put(store, "hello", 0640, NULL);
    CHECK_NUMBER(3, stat_of(first).st_nlink);

    spate_entry executable = put(store, "hello", 0755, NULL);
    CHECK(stat_of(object_of(store, &executable)).st_ino != object.st_ino);
    CHECK_NUMBER(1, stat_of(object_of(store, &executable)).st_nlink);
    spate_store_close(store);
}

TEST(modes_do_not_depend_on_the_umask) {
    spate_store *store = opened();
    mode_t before = umask(077);
    spate_entry open_to_all = put(store, "a", 0777, NULL);
    umask(0);
    spate_entry readable = put(store, "b", 0444, NULL);
    spate_entry no_setuid = put(store, "c", 06755, NULL);
    umask(before);
    CHECK_NUMBER(0777, stat_of(object_of(store, &open_to_all)).st_mode & 07777);
    CHECK_NUMBER(0444, stat_of(object_of(store, &readable)).st_mode & 07777);
    CHECK_NUMBER(0755, stat_of(object_of(store, &no_setuid)).st_mode & 07777);
    spate_store_close(store);
}

TEST(an_empty_file_is_an_object) {
    spate_store *store = opened();
    const char *path = fresh("file");
    spate_entry entry = put(store, "", 0644, path);
    CHECK_NUMBER(0, entry.size);
    CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, true));
    CHECK_NUMBER(0, stat_of(path).st_size);
    spate_store_close(store);
}

/* Overwrites the object with as many bytes, cuts it, makes it longer, changes its mode, or replaces it with a symlink
 * to another file. spate_store_put repairs each of these. */
TEST(a_bad_object_is_replaced) {
    for (int kind = 0; kind < 5; kind++) {
        spate_store *store = opened();
        const char *project = fresh("project");
        spate_entry entry = put(store, "right content", 0644, project);
        char object[PATH_MAX];
        strcpy(object, object_of(store, &entry));
        if (kind == 0)
            write_text(object, "wrong content", 0644);
        else if (kind == 1)
            write_text(object, "right", 0644);
        else if (kind == 2)
            write_text(object, "right content, and more", 0644);
        else if (kind == 3)
            CHECK(chmod(object, 0666) == 0);
        else
            CHECK(unlink(object) == 0 && symlink("/etc/passwd", object) == 0);
        CHECK(state_of(store, &entry, true) == SPATE_OBJECT_CHANGED);

        const char *path = fresh("file");
        spate_entry again = put(store, "right content", 0644, path);
        check_text(object, "right content");
        check_text(path, "right content");
        CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &again, true));
        CHECK_NUMBER(stat_of(object).st_ino, stat_of(path).st_ino);
        if (kind == 0)
            check_text(project, "wrong content"); /* the project keeps its edit */
        spate_store_close(store);
    }
}

TEST(put_never_overwrites_the_tree) {
    spate_store *store = opened();
    const char *path = fresh("file");
    const char *outside = fresh("outside");
    spate_entry entry = {0};
    write_text(outside, "outside", 0644);
    CHECK(symlink(outside, path) == 0);
    CHECK_STATUS(SPATE_SYSTEM, spate_store_put(store, (const uint8_t *)"x", 1, 0644, path, &entry, NULL));
    check_text(outside, "outside");
    put(store, "x", 0644, NULL); /* the same result if the object exists */
    CHECK_STATUS(SPATE_SYSTEM, spate_store_put(store, (const uint8_t *)"x", 1, 0644, path, &entry, NULL));
    check_text(outside, "outside");
    spate_store_close(store);
}

/* The tree was renamed after it was opened, so its old paths no longer exist. */
TEST(files_are_put_into_open_folders_whatever_their_paths) {
    spate_store *store = opened();
    const char *tree = lasting(fresh("tree"));
    const char *moved = lasting(fresh("moved"));
    static const char *const texts[] = {"one", "two"};
    put(store, "one", 0644, NULL); /* the first file is a hard link to this object */
    CHECK(mkdir(tree, 0755) == 0);
    spate_store_folders folders = {spate_store_objects(store), open(tree, SPATE_FOLDER_FLAGS), strlen(tree)};
    CHECK(rename(tree, moved) == 0);
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        char there[PATH_MAX];
        spate_entry entry = {0};
        snprintf(path, sizeof(path), "%s/%s", tree, texts[i]);
        snprintf(there, sizeof(there), "%s/%s", moved, texts[i]);
        CHECK_OK(spate_store_put_in(store, &folders, (const uint8_t *)texts[i], 3, 0644, path, &entry, NULL));
        CHECK(state_of(store, &entry, true) == SPATE_OBJECT_GOOD);
        CHECK(access(there, F_OK) == 0);
    }
    close(folders.objects);
    close(folders.tree);
    spate_store_close(store);
}

TEST(nothing_temporary_is_left) {
    spate_store *store = opened();
    char tmp[PATH_MAX];
    spate_entry entry = put(store, "one", 0644, NULL);
    write_text(object_of(store, &entry), "two", 0644);
    put(store, "one", 0644, NULL);
    put(store, "one", 0644, fresh("file"));
    snprintf(tmp, sizeof(tmp), "%s/tmp", spate_store_root(store));
    CHECK(rmdir(tmp) == 0);
    spate_store_close(store);
}

static spate_entry in_pieces(spate_store *store, const char *text, size_t step, const char *tree_path) {
    spate_store_file *file;
    spate_entry entry = {0};
    CHECK_OK(spate_store_file_begin(store, &file, 0644, tree_path, NULL));
    for (size_t at = 0, length = strlen(text); at < length; at += step)
        CHECK_OK(spate_store_file_write(file, text + at, length - at < step ? length - at : step, NULL));
    CHECK_OK(spate_store_file_finish(file, &entry, NULL));
    return entry;
}

TEST(pieces_make_the_same_object) {
    spate_store *store = opened();
    const char *first = fresh("file");
    const char *second = fresh("file");
    spate_entry whole = put(store, "a longer text", 0644, first);
    spate_entry pieces = in_pieces(store, "a longer text", 3, second);
    CHECK_BYTES(whole.sha256, pieces.sha256, SPATE_SHA256_BYTES);
    CHECK_NUMBER(whole.mtime_ns, pieces.mtime_ns);
    CHECK_NUMBER(stat_of(first).st_ino, stat_of(second).st_ino);
    spate_entry other = in_pieces(store, "yet another", 4, NULL);
    check_text(object_of(store, &other), "yet another");

    spate_store_file *file;
    const char *third = fresh("file");
    CHECK_OK(spate_store_file_begin(store, &file, 0644, third, NULL));
    CHECK_OK(spate_store_file_write(file, "half", 4, NULL));
    spate_store_file_abandon(file);
    CHECK(!exists(third));
    spate_store_close(store);
}

TEST(a_built_file_is_adopted) {
    spate_store *store = opened();
    const char *built = fresh("built");
    const char *twin = fresh("built");
    const char *link = fresh("link");
    spate_entry entry = {0};
    spate_entry same = {0};
    write_text(built, "machine code", 0755);
    write_text(twin, "machine code", 0755);
    CHECK_OK(spate_store_adopt(store, built, &entry, NULL));
    CHECK_NUMBER(0755, entry.mode);
    CHECK_NUMBER(12, entry.size);
    CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, false));
    CHECK_NUMBER(1, stat_of(built).st_nlink); /* a file of the project only */
    struct stat here = stat_of(built);
    CHECK_NUMBER(entry.mtime_ns, spate_mtime_ns(&here));
    CHECK_OK(spate_store_adopt(store, built, &entry, NULL)); /* adopting it twice has the effect of once */
    CHECK_OK(spate_store_adopt(store, twin, &same, NULL));
    CHECK_NUMBER(entry.mtime_ns, same.mtime_ns);
    here = stat_of(twin);
    CHECK_NUMBER(entry.mtime_ns, spate_mtime_ns(&here));
    CHECK_NUMBER(1, stat_of(twin).st_nlink);
    CHECK_NUMBER(1, stat_of(object_of(store, &entry)).st_nlink);

    CHECK(symlink(built, link) == 0);
    CHECK_STATUS(SPATE_SYSTEM, spate_store_adopt(store, link, &entry, NULL));
    CHECK_STATUS(SPATE_REFUSED, spate_store_adopt(store, scratch_root, &entry, NULL));
    spate_store_close(store);
}

/* A project may strip, patch or chown its executables, so they are not hard links. */
TEST(executables_are_not_hard_links) {
    spate_store *store = opened();
    static const struct {
        const char *path;
        uint32_t mode;
        bool shared;
    } files[] = {{"lib/a.rb", 0644, true},    {"exe/a", 0755, false},        {"exe/a", 0645, false},
                 {"lib/a.so", 0644, false},   {"lib/a.bundle", 0644, false}, {"lib/a.so.1", 0644, false},
                 {"a.so.d/b.rb", 0644, true}, {"", 0444, true}};
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        CHECK(files[i].shared == spate_store_shares(files[i].path, files[i].mode));
    for (int in_pieces = 0; in_pieces < 2; in_pieces++) {
        const char *tree_path = fresh("tree-file");
        spate_entry entry = {0};
        spate_store_file *file;
        if (in_pieces) {
            CHECK_OK(spate_store_file_begin(store, &file, 0755, tree_path, NULL));
            CHECK_OK(spate_store_file_write(file, "#!ruby", 6, NULL));
            CHECK_OK(spate_store_file_finish(file, &entry, NULL));
        } else {
            entry = put(store, "#!ruby", 0755, tree_path);
        }
        struct stat here = stat_of(tree_path);
        CHECK_NUMBER(1, here.st_nlink);
        CHECK_NUMBER(0755, here.st_mode & 07777);
        CHECK_NUMBER(entry.mtime_ns, spate_mtime_ns(&here));
        check_text(tree_path, "#!ruby");
        CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, true));
        CHECK_STATUS(SPATE_SYSTEM, spate_store_put(store, (const uint8_t *)"x", 1, 0755, tree_path, &entry, NULL));
        check_text(tree_path, "#!ruby"); /* an existing file is never overwritten */
    }
    spate_store_close(store);
}

TEST(an_object_of_another_owner_is_damaged) {
    spate_store *store = opened();
    spate_entry entry = put(store, "given away", 0644, NULL);
    spate_store_own(store, getuid());
    CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, false));
    if (getuid() != 0) {
        printf("skipped: only root gives files away\n");
    } else {
        CHECK(chown(object_of(store, &entry), 65534, 65534) == 0);
        CHECK_NUMBER(SPATE_OBJECT_CHANGED, state_of(store, &entry, false));
        CHECK_NUMBER(SPATE_OBJECT_CHANGED, state_of(store, &entry, true));
        entry = put(store, "given away", 0644, NULL); /* a new inode takes its place */
        CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, false));
        CHECK_NUMBER(0, stat_of(object_of(store, &entry)).st_uid);
    }
    spate_store_close(store);
}

/* Uses another file system, if there is one. A copy keeps the mode and the time, even if the object already exists. */
TEST(files_are_adopted_from_another_file_system) {
    char path[] = "/dev/shm/spate-adopt-XXXXXX";
    int descriptor = mkstemp(path);
    spate_store *store = opened();
    spate_entry entry = {0};
    if (descriptor < 0 || stat_of(path).st_dev == stat_of(scratch_root).st_dev) {
        printf("skipped: no second file system at /dev/shm\n");
    } else {
        write_text(path, "from afar", 0755);
        CHECK_OK(spate_store_adopt(store, path, &entry, NULL));
        struct stat there = stat_of(path);
        CHECK_NUMBER(spate_mtime_ns(&there), entry.mtime_ns);
        CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, false));
        CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, true));
        spate_entry twin = {0};
        struct timespec times[2] = {{0, UTIME_OMIT}, {1000, 5}};
        CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
        CHECK_OK(spate_store_adopt(store, path, &twin, NULL));
        CHECK_NUMBER(entry.mtime_ns, twin.mtime_ns);
    }
    if (descriptor >= 0) {
        close(descriptor);
        unlink(path);
    }
    spate_store_close(store);
}

TEST(examine_finds_changes_by_stat_and_by_reading) {
    spate_store *store = opened();
    spate_entry entry = put(store, "content", 0644, NULL);
    char object[PATH_MAX];
    strcpy(object, object_of(store, &entry));
    CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, false));
    CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, true));

    struct timespec times[2] = {{0, UTIME_OMIT}, {1000, 5}};
    CHECK(utimensat(AT_FDCWD, object, times, 0) == 0);
    CHECK_NUMBER(SPATE_OBJECT_CHANGED, state_of(store, &entry, false));
    spate_object_state state;
    int64_t mtime_ns;
    CHECK_OK(spate_store_examine(store, &entry, true, &state, &mtime_ns, NULL));
    CHECK_NUMBER(SPATE_OBJECT_GOOD, state); /* in a restored cache, the times are lost and the content is right */
    CHECK_NUMBER(INT64_C(1000000000005), mtime_ns);

    entry.mtime_ns = mtime_ns;
    write_text(object, "CONTENT", 0644);
    CHECK(utimensat(AT_FDCWD, object, times, 0) == 0);
    CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, false)); /* a stat cannot notice this */
    CHECK_NUMBER(SPATE_OBJECT_CHANGED, state_of(store, &entry, true));
    CHECK(unlink(object) == 0);
    CHECK_NUMBER(SPATE_OBJECT_MISSING, state_of(store, &entry, false));
    CHECK_NUMBER(SPATE_OBJECT_MISSING, state_of(store, &entry, true));
    spate_store_close(store);
}

/* The check does not wait for the writer of a pipe, follow a link, or accept a prefix as the whole content. */
TEST(examine_accepts_only_regular_files) {
    spate_store *store = opened();
    spate_entry entry = put(store, "content", 0644, NULL);
    char object[PATH_MAX];
    strcpy(object, object_of(store, &entry));
    const char *other = in_scratch("other");
    write_text(other, "content", 0644);
    CHECK(unlink(object) == 0 && symlink(other, object) == 0);
    CHECK_NUMBER(SPATE_OBJECT_CHANGED, state_of(store, &entry, true));
    CHECK(unlink(object) == 0 && mkfifo(object, 0644) == 0);
    CHECK_NUMBER(SPATE_OBJECT_CHANGED, state_of(store, &entry, true));
    CHECK(unlink(object) == 0 && mkdir(object, 0755) == 0);
    CHECK_NUMBER(SPATE_OBJECT_CHANGED, state_of(store, &entry, true));
    CHECK(rmdir(object) == 0);
    write_text(object, "content, and more", 0644);
    CHECK_NUMBER(SPATE_OBJECT_CHANGED, state_of(store, &entry, true));
    write_text(object, "content", 0600);
    CHECK(chmod(object, 0600) == 0);
    CHECK_NUMBER(SPATE_OBJECT_CHANGED, state_of(store, &entry, true));
    spate_store_close(store);
}

/* The sizes are around the size of one read. */
TEST(content_of_every_size_is_hashed_whole) {
    spate_store *store = opened();
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 131072, 200001};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        char *text = calloc(sizes[i] + 1, 1);
        memset(text, 'x', sizes[i]);
        spate_entry entry = put(store, text, 0644, NULL);
        CHECK_NUMBER(SPATE_OBJECT_GOOD, state_of(store, &entry, true));
        if (sizes[i] > 0) {
            text[sizes[i] - 1] = 'y';
            write_text(object_of(store, &entry), text, 0644);
            CHECK_NUMBER(SPATE_OBJECT_CHANGED, state_of(store, &entry, true));
        }
        free(text);
    }
    spate_store_close(store);
}

TEST(store_that_cannot_be_created_is_an_error) {
    spate_store *store;
    spate_error error;
    const char *file = fresh("file");
    char root[PATH_MAX];
    write_text(file, "", 0644);
    snprintf(root, sizeof(root), "%s/store", file);
    CHECK_STATUS(SPATE_SYSTEM, spate_store_open(&store, root, &error));
    CHECK(store == NULL);
    CHECK_NUMBER(20, error.system_errno); /* ENOTDIR */
}
