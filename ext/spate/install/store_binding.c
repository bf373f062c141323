#include "native.h"

#include "store/store.h"

#include <errno.h>
#include <limits.h>

static void store_free(void *data) {
    spate_native_store *native = data;
    spate_pool_free(native->unpack);
    spate_pool_free(native->link);
    spate_store_close(native->store);
    ruby_xfree(native);
}

static size_t store_size(const void *data) {
    return sizeof(spate_native_store);
}

static const rb_data_type_t store_type = {
    "Spate::Native::Store", {NULL, store_free, store_size, NULL, {NULL}}, NULL, NULL, RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE store_allocate(VALUE class) {
    spate_native_store *native;
    return TypedData_Make_Struct(class, spate_native_store, &store_type, native);
}

spate_native_store *spate_store_of(VALUE object) {
    spate_native_store *native;
    TypedData_Get_Struct(object, spate_native_store, &store_type, native);
    if (!native->store)
        rb_raise(rb_eRuntimeError, "store was not opened");
    return native;
}

/* Sets values[] to the values of the keywords, or Qundef if missing. Raises ArgumentError for unknown keywords. */
static void take_keywords(VALUE options, const char *const *names, int count, VALUE *values) {
    ID ids[16];
    for (int i = 0; i < count; i++)
        ids[i] = rb_intern(names[i]);
    rb_get_kwargs(NIL_P(options) ? rb_hash_new() : options, ids, 0, count, values);
}

static bool given(VALUE value) {
    return value != Qundef && !NIL_P(value);
}

static unsigned threads_from(VALUE value) {
    if (given(value)) {
        long threads = NUM2LONG(value);
        if (threads < 1 || threads > 1024)
            rb_raise(rb_eArgError, "%ld threads; expected 1 to 1024", threads);
        return (unsigned)threads;
    }
    return spate_processors();
}

/*
 * new(root, unpack_threads: processors, link_threads: processors, owner: nil): opens the store and creates missing
 * directories. Only objects that belong to `owner` or root are accepted; nil accepts any user.
 */
static VALUE store_initialize(int argc, VALUE *argv, VALUE self) {
    static const char *const names[] = {"unpack_threads", "link_threads", "owner"};
    VALUE root;
    VALUE options;
    VALUE values[3];
    spate_native_store *native;
    spate_error error;
    rb_scan_args(argc, argv, "1:", &root, &options);
    take_keywords(options, names, 3, values);
    TypedData_Get_Struct(self, spate_native_store, &store_type, native);
    if (native->store)
        rb_raise(rb_eRuntimeError, "store is already open");
    unsigned unpack_threads = threads_from(values[0]);
    unsigned link_threads = threads_from(values[1]);
    uid_t owner = given(values[2]) ? (uid_t)NUM2UINT(values[2]) : 0;
    FilePathStringValue(root);
    if ((!native->unpack && spate_pool_new(&native->unpack, unpack_threads) != SPATE_OK) ||
        (!native->link && spate_pool_new(&native->link, link_threads) != SPATE_OK))
        rb_memerror();
    if (spate_store_open(&native->store, StringValueCStr(root), &error) != SPATE_OK)
        spate_raise(&error);
    if (given(values[2]))
        spate_store_own(native->store, owner);
    return self;
}

/* ---- unpack ---- */

typedef struct unpacking {
    spate_native_store *native;
    char *archive;
    char *tree;
    uint8_t sha256[SPATE_SHA256_BYTES];
    uint8_t sha512[SPATE_DIGEST_MAX];
    spate_unpack_options options;
    spate_unpacked *unpacked;
    spate_unpacked made; /* filled in without the GVL; *unpacked belongs to `object` and requires the GVL */
    VALUE object;
    VALUE self;
    VALUE path;
    VALUE keywords;
    spate_error error;
} unpacking;

static spate_status unpack_work(void *context, const spate_cancel *cancel) {
    unpacking *u = context;
    u->options.cancel = cancel;
    return spate_unpack_file(u->native->store, u->native->unpack, u->archive, &u->options, &u->made, &u->error);
}

static spate_archive_kind take_kind(VALUE kind) {
    if (!given(kind) || kind == ID2SYM(rb_intern("gem")))
        return SPATE_ARCHIVE_GEM;
    if (kind == ID2SYM(rb_intern("npm")))
        return SPATE_ARCHIVE_NPM;
    if (kind == ID2SYM(rb_intern("build")))
        return SPATE_ARCHIVE_BUILD;
    rb_raise(rb_eArgError, "an archive's kind is :gem, :npm or :build, not %" PRIsVALUE, rb_inspect(kind));
}

static void take_unpack_options(unpacking *u) {
    static const char *const names[] = {"kind",   "sha256",    "sha512",    "tree",        "parallel_from",
                                        "memory", "max_total", "max_entry", "max_entries", "mode_mask"};
    VALUE v[10];
    spate_unpack_options *o = &u->options;
    take_keywords(u->keywords, names, 10, v);
    o->kind = take_kind(v[0]);
    if (given(v[1])) {
        spate_take_hex(v[1], u->sha256, SPATE_SHA256_BYTES);
        o->sha256 = u->sha256;
    }
    if (given(v[2])) {
        spate_take_hex(v[2], u->sha512, 64);
        o->sha512 = u->sha512;
    }
    if (given(v[3]))
        o->tree = u->tree = spate_copy_path(v[3]);
    if (v[4] == Qfalse)
        o->parallel_from = UINT_MAX;
    else if (given(v[4]))
        o->parallel_from = NUM2UINT(v[4]) ? NUM2UINT(v[4]) : 1;
    o->memory = given(v[5]) ? NUM2SIZET(v[5]) : 0;
    o->max_total = given(v[6]) ? NUM2ULL(v[6]) : 0;
    o->max_entry = given(v[7]) ? NUM2ULL(v[7]) : 0;
    o->max_entries = given(v[8]) ? NUM2SIZET(v[8]) : 0;
    o->mode_mask = given(v[9]) ? NUM2UINT(v[9]) & 0777 : 0;
}

static VALUE unpack_body(VALUE argument) {
    unpacking *u = (unpacking *)argument;
    u->archive = spate_copy_path(u->path);
    take_unpack_options(u);
    u->object = spate_unpacked_object();
    if (spate_release(unpack_work, u) != SPATE_OK)
        spate_raise(&u->error);
    *spate_unpacked_of(u->object) = u->made;
    memset(&u->made, 0, sizeof(u->made));
    return u->object;
}

static VALUE unpack_end(VALUE argument) {
    unpacking *u = (unpacking *)argument;
    spate_unpacked_free(&u->made);
    ruby_xfree(u->archive);
    ruby_xfree(u->tree);
    return Qnil;
}

/*
 * unpack(archive, kind: :gem, sha256: nil, sha512: nil, tree: nil, parallel_from: 32, memory: 64 MiB, max_total: 1 GiB,
 * max_entry: 512 MiB, max_entries: 200_000, mode_mask: 0o777) -> Unpacked
 *
 * Unpacks an archive into the store. Digests are in hex, sizes in bytes. parallel_from: false uses no threads. `tree`
 * is a directory to create, on the file system of the store. Raises Error and removes the tree on failure.
 */
static VALUE store_unpack(int argc, VALUE *argv, VALUE self) {
    unpacking u = {.native = spate_store_of(self), .self = self};
    rb_scan_args(argc, argv, "1:", &u.path, &u.keywords);
    VALUE unpacked = rb_ensure(unpack_body, (VALUE)&u, unpack_end, (VALUE)&u);
    RB_GC_GUARD(self);
    return unpacked;
}

/* ---- manifests ---- */

/* manifest(path) -> Manifest, or nil if the file does not exist. Raises StaleManifest if it is damaged or of a
 * different version. */
static VALUE store_manifest(VALUE self, VALUE path) {
    spate_manifest *manifest;
    spate_error error;
    FilePathStringValue(path);
    spate_status status = spate_manifest_open(&manifest, StringValueCStr(path), &error);
    if (status == SPATE_SYSTEM && error.system_errno == ENOENT)
        return Qnil;
    if (status == SPATE_STALE)
        spate_raise_as(spate_native_stale_manifest, &error);
    if (status != SPATE_OK)
        spate_raise(&error);
    return spate_manifest_object(manifest);
}

typedef struct manifests_work {
    spate_native_store *native;
    VALUE array;
    char **paths;
    spate_manifest **found;
    size_t count;
} manifests_work;

static void open_manifest(void *context, size_t index) {
    manifests_work *w = context;
    spate_error error;
    if (!w->found[index] && spate_manifest_open(&w->found[index], w->paths[index], &error) != SPATE_OK)
        w->found[index] = NULL;
}

static spate_status open_manifests(void *context, const spate_cancel *cancel) {
    manifests_work *w = context;
    return spate_pool_run(w->native->link, w->count, open_manifest, w);
}

static VALUE manifests_body(VALUE argument) {
    manifests_work *w = (manifests_work *)argument;
    size_t count = (size_t)RARRAY_LEN(w->array);
    w->paths = ruby_xcalloc(count + 1, sizeof(*w->paths));
    w->found = ruby_xcalloc(count + 1, sizeof(*w->found));
    for (; w->count < count; w->count++)
        w->paths[w->count] = spate_copy_path(rb_ary_entry(w->array, (long)w->count));
    if (spate_release(open_manifests, w) != SPATE_OK)
        rb_memerror();
    VALUE all = rb_ary_new_capa((long)count);
    for (size_t i = 0; i < count; i++) {
        rb_ary_push(all, w->found[i] ? spate_manifest_object(w->found[i]) : Qnil);
        w->found[i] = NULL;
    }
    return all;
}

static VALUE manifests_end(VALUE argument) {
    manifests_work *w = (manifests_work *)argument;
    for (size_t i = 0; i < w->count; i++) {
        spate_manifest_close(w->found[i]);
        ruby_xfree(w->paths[i]);
    }
    ruby_xfree(w->paths);
    ruby_xfree(w->found);
    return Qnil;
}

/* manifests([path, ...]) -> [Manifest or nil, ...]: nil if a manifest is missing or incomplete. Uses several
 * threads. */
static VALUE store_manifests(VALUE self, VALUE paths) {
    Check_Type(paths, T_ARRAY);
    manifests_work w = {.native = spate_store_of(self), .array = rb_ary_dup(paths)};
    VALUE all = rb_ensure(manifests_body, (VALUE)&w, manifests_end, (VALUE)&w);
    RB_GC_GUARD(w.array);
    RB_GC_GUARD(self);
    return all;
}

/* write_manifest(path, archive_sha256, entries, facts): writes the manifest of a build, or replaces a manifest. */
static VALUE store_write_manifest(VALUE self, VALUE path, VALUE sha256, VALUE hashes, VALUE facts) {
    uint8_t archive[SPATE_SHA256_BYTES];
    spate_error error;
    VALUE buffer;
    Check_Type(hashes, T_ARRAY);
    StringValue(facts);
    FilePathStringValue(path);
    spate_take_hex(sha256, archive, sizeof(archive));
    hashes = rb_ary_dup(hashes); /* keeps the strings of the entries alive */
    size_t count = (size_t)RARRAY_LEN(hashes);
    spate_entry *entries = rb_alloc_tmp_buffer(&buffer, (long)((count + 1) * sizeof(*entries)));
    for (size_t i = 0; i < count; i++)
        entries[i] = spate_take_entry(rb_ary_entry(hashes, (long)i), true);
    spate_status status = spate_manifest_write(StringValueCStr(path), archive, entries, count, RSTRING_PTR(facts),
                                               (size_t)RSTRING_LEN(facts), &error);
    rb_free_tmp_buffer(&buffer);
    RB_GC_GUARD(hashes);
    RB_GC_GUARD(facts);
    if (status != SPATE_OK)
        spate_raise(&error);
    return Qtrue;
}

/* ---- objects ---- */

typedef struct object_work {
    spate_native_store *native;
    char *path;
    spate_entry entry;
    spate_object_state state;
    int64_t mtime_ns;
    spate_error error;
} object_work;

static spate_status adopt_work(void *context, const spate_cancel *cancel) {
    object_work *w = context;
    return spate_store_adopt(w->native->store, w->path, &w->entry, &w->error);
}

static VALUE adopt_body(VALUE argument) {
    object_work *w = (object_work *)argument;
    if (spate_release(adopt_work, w) != SPATE_OK)
        spate_raise(&w->error);
    return spate_entry_hash(&w->entry);
}

static VALUE free_path(VALUE argument) {
    ruby_xfree(((object_work *)argument)->path);
    return Qnil;
}

/*
 * adopt(path) -> entry without :path. Creates an object with the content and mode of the file, as a clone or copy. The
 * file gets the object's mtime and loses setuid, setgid and sticky bits.
 */
static VALUE store_adopt(VALUE self, VALUE path) {
    object_work w = {.native = spate_store_of(self), .path = spate_copy_path(path)};
    VALUE entry = rb_ensure(adopt_body, (VALUE)&w, free_path, (VALUE)&w);
    RB_GC_GUARD(self);
    return entry;
}

static spate_status examine_work(void *context, const spate_cancel *cancel) {
    object_work *w = context;
    return spate_store_examine(w->native->store, &w->entry, true, &w->state, &w->mtime_ns, &w->error);
}

/* examine(entry, hash: false) -> [:good | :missing | :changed, mtime_ns or nil] */
static VALUE store_examine(int argc, VALUE *argv, VALUE self) {
    static const char *const names[] = {"hash"};
    VALUE hash;
    VALUE options;
    VALUE value;
    rb_scan_args(argc, argv, "1:", &hash, &options);
    take_keywords(options, names, 1, &value);
    object_work w = {.native = spate_store_of(self), .entry = spate_take_entry(hash, false)};
    spate_status status;
    if (value != Qundef && RTEST(value))
        status = spate_release(examine_work, &w);
    else
        status = spate_store_examine(w.native->store, &w.entry, false, &w.state, &w.mtime_ns, &w.error);
    RB_GC_GUARD(self);
    if (status != SPATE_OK)
        spate_raise(&w.error);
    return rb_assoc_new(spate_state_symbol(w.state), w.state == SPATE_OBJECT_MISSING ? Qnil : LL2NUM(w.mtime_ns));
}

/* object_path(sha256, mode) -> the path of the object with this content and mode, even if it does not exist. */
static VALUE store_object_path(VALUE self, VALUE sha256, VALUE mode) {
    char path[PATH_MAX];
    uint8_t bytes[SPATE_SHA256_BYTES];
    spate_take_hex(sha256, bytes, sizeof(bytes));
    spate_store_object_path(spate_store_of(self)->store, bytes, NUM2UINT(mode) & 0777, path);
    return spate_utf8(path, strlen(path));
}

/* shares?(path, mode) -> whether bundles may share the inode of a file with this path and mode. */
static VALUE store_is_shared(VALUE self, VALUE path, VALUE mode) {
    (void)self;
    return spate_store_shares(StringValueCStr(path), NUM2UINT(mode)) ? Qtrue : Qfalse;
}

static VALUE store_root(VALUE self) {
    const char *root = spate_store_root(spate_store_of(self)->store);
    return spate_utf8(root, strlen(root));
}

/* ---- verify ---- */

typedef struct verify_work {
    spate_native_store *native;
    const spate_manifest *manifest;
    size_t *damaged;
    size_t count;
    spate_error error;
} verify_work;

static spate_status verify(void *context, const spate_cancel *cancel) {
    verify_work *w = context;
    return spate_verify_manifest(w->native->store, w->native->link, w->manifest, cancel, &w->damaged, &w->count,
                                 &w->error);
}

static VALUE verify_body(VALUE argument) {
    verify_work *w = (verify_work *)argument;
    if (spate_release(verify, w) != SPATE_OK)
        spate_raise(&w->error);
    VALUE indexes = rb_ary_new_capa((long)w->count);
    for (size_t i = 0; i < w->count; i++)
        rb_ary_push(indexes, SIZET2NUM(w->damaged[i]));
    return indexes;
}

static VALUE verify_end(VALUE argument) {
    free(((verify_work *)argument)->damaged);
    return Qnil;
}

/* verify_manifest(manifest) -> indexes of entries whose object is missing or changed. Reads and hashes every object. */
static VALUE store_verify_manifest(VALUE self, VALUE manifest) {
    verify_work w = {.native = spate_store_of(self), .manifest = spate_manifest_of(manifest)};
    VALUE indexes = rb_ensure(verify_body, (VALUE)&w, verify_end, (VALUE)&w);
    RB_GC_GUARD(self);
    RB_GC_GUARD(manifest);
    return indexes;
}

VALUE spate_init_store(void) {
    VALUE store_class = rb_define_class_under(spate_native, "Store", rb_cObject);
    rb_define_alloc_func(store_class, store_allocate);
    rb_define_method(store_class, "initialize", store_initialize, -1);
    rb_define_method(store_class, "root", store_root, 0);
    rb_define_method(store_class, "unpack", store_unpack, -1);
    rb_define_method(store_class, "manifest", store_manifest, 1);
    rb_define_method(store_class, "manifests", store_manifests, 1);
    rb_define_method(store_class, "write_manifest", store_write_manifest, 4);
    rb_define_method(store_class, "verify_manifest", store_verify_manifest, 1);
    rb_define_method(store_class, "adopt", store_adopt, 1);
    rb_define_method(store_class, "examine", store_examine, -1);
    rb_define_method(store_class, "object_path", store_object_path, 2);
    rb_define_method(store_class, "shares?", store_is_shared, 2);
    return store_class;
}
