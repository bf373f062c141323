#include "native.h"

#include "link/gather.h"

static VALUE result_class;

/* ---- jobs ---- */

/* The Array [[destination, [manifest, ...], method, guarded], ...] as C structs. */
typedef struct spate_jobs {
    spate_link_job *jobs;
    size_t count;
    VALUE alive; /* keeps the manifests alive if the Arrays change meanwhile */
} spate_jobs;

static spate_link_method take_method(VALUE method) {
    static const char *const names[] = {"hard", "clone", "copy"};
    if (NIL_P(method))
        return SPATE_LINK_HARD;
    for (int i = 0; i < 3; i++)
        if (method == ID2SYM(rb_intern(names[i])))
            return (spate_link_method)i;
    rb_raise(rb_eArgError, "files are placed by :hard, :clone or :copy, not %" PRIsVALUE, rb_inspect(method));
}

static void take_job(VALUE parts, spate_link_job *job, VALUE alive) {
    Check_Type(parts, T_ARRAY);
    VALUE manifests = rb_ary_entry(parts, 1);
    Check_Type(manifests, T_ARRAY);
    VALUE guarded = rb_ary_entry(parts, 3);
    job->method = take_method(rb_ary_entry(parts, 2));
    job->guarded = NIL_P(guarded) ? 0 : NUM2SIZET(guarded);
    job->destination = spate_copy_path(rb_ary_entry(parts, 0));
    size_t count = (size_t)RARRAY_LEN(manifests);
    const spate_manifest **list = ruby_xcalloc(count + 1, sizeof(*list));
    job->manifests = list;
    for (size_t i = 0; i < count; i++) {
        VALUE manifest = rb_ary_entry(manifests, (long)i);
        list[i] = spate_manifest_of(manifest);
        rb_ary_push(alive, manifest);
        job->manifest_count = i + 1;
    }
}

/* Fills in *jobs, which must be zeroed. Call free_jobs afterwards, even if this raises. */
static void take_jobs(VALUE array, spate_jobs *jobs) {
    Check_Type(array, T_ARRAY);
    jobs->alive = rb_ary_new();
    jobs->jobs = ruby_xcalloc((size_t)RARRAY_LEN(array) + 1, sizeof(*jobs->jobs));
    size_t count = (size_t)RARRAY_LEN(array);
    for (size_t i = 0; i < count; i++) {
        jobs->count = i + 1;
        take_job(rb_ary_entry(array, (long)i), &jobs->jobs[i], jobs->alive);
    }
}

static void free_jobs(spate_jobs *jobs) {
    for (size_t i = 0; i < jobs->count; i++) {
        ruby_xfree((void *)jobs->jobs[i].destination);
        ruby_xfree((void *)jobs->jobs[i].manifests);
    }
    ruby_xfree(jobs->jobs);
}

/* ---- links ---- */

/* A copy of the Hash {path => target or [text, mode]}. */
typedef struct taken_links {
    spate_symlink *items;
    size_t count;
} taken_links;

static void take_text(VALUE parts, spate_symlink *file) {
    VALUE text = rb_ary_entry(parts, 0);
    Check_Type(text, T_STRING);
    size_t length = (size_t)RSTRING_LEN(text);
    char *copy = ruby_xmalloc(length + 1);
    memcpy(copy, RSTRING_PTR(text), length);
    file->text = copy;
    file->length = length;
    file->mode = NUM2UINT(rb_ary_entry(parts, 1)) & 07777;
}

static int take_link(VALUE path, VALUE target, VALUE argument) {
    taken_links *taken = (taken_links *)argument;
    spate_symlink *link = &taken->items[taken->count];
    link->path = spate_copy_path(path);
    taken->count++;
    if (RB_TYPE_P(target, T_ARRAY))
        take_text(target, link);
    else
        link->target = spate_copy_path(target);
    return ST_CONTINUE;
}

/* Copies the links. Call free_links afterwards, even if this raises. */
static void take_links(VALUE hash, taken_links *taken) {
    Check_Type(hash, T_HASH);
    VALUE links = rb_hash_dup(hash); /* a copy that other threads cannot change */
    taken->items = ruby_xcalloc(RHASH_SIZE(links) + 1, sizeof(*taken->items));
    rb_hash_foreach(links, take_link, (VALUE)taken);
    RB_GC_GUARD(links);
}

static void free_links(taken_links *taken) {
    for (size_t i = 0; i < taken->count; i++) {
        ruby_xfree((void *)taken->items[i].path);
        ruby_xfree((void *)taken->items[i].target);
        ruby_xfree((void *)taken->items[i].text);
    }
    ruby_xfree(taken->items);
}

/* ---- link ---- */

typedef struct link_work {
    spate_native_store *native;
    VALUE array;
    VALUE keywords;
    spate_jobs jobs;
    char *root; /* may be NULL */
    taken_links taken;
    spate_links links;
    bool has_links;
} link_work;

static spate_status link_jobs(void *context, const spate_cancel *cancel) {
    link_work *w = context;
    spate_links *links = w->has_links ? &w->links : NULL;
    spate_status status =
        spate_link_below(w->native->store, w->native->link, w->root, w->jobs.jobs, w->jobs.count, links, cancel);
    for (size_t i = 0; i < w->jobs.count; i++)
        if (w->jobs.jobs[i].status == SPATE_CANCELLED)
            return SPATE_CANCELLED; /* spate_release restarts the work after an interrupt that does not raise */
    return links && links->status == SPATE_CANCELLED ? SPATE_CANCELLED : status;
}

static void take_link_options(link_work *w) {
    static const char *const names[] = {"root", "links"};
    ID ids[2];
    VALUE v[2];
    for (int i = 0; i < 2; i++)
        ids[i] = rb_intern(names[i]);
    rb_get_kwargs(NIL_P(w->keywords) ? rb_hash_new() : w->keywords, ids, 0, 2, v);
    if (v[0] != Qundef && !NIL_P(v[0]))
        w->root = spate_copy_path(v[0]);
    if (v[1] == Qundef || NIL_P(v[1]))
        return;
    if (!w->root)
        rb_raise(rb_eArgError, "links: needs root:");
    take_links(v[1], &w->taken);
    w->links = (spate_links){.items = w->taken.items, .count = w->taken.count};
    w->has_links = true;
}

static VALUE result_of(spate_status status, const spate_error *error, size_t linked, size_t copied, VALUE damaged) {
    bool failed = status != SPATE_OK;
    VALUE values[7] = {
        spate_status_symbol(status),
        SIZET2NUM(linked),
        SIZET2NUM(copied),
        failed ? spate_utf8(error->message, strlen(error->message)) : Qnil,
        failed ? spate_utf8(error->member, strlen(error->member)) : Qnil,
        INT2NUM(failed ? error->system_errno : 0),
        damaged,
    };
    return rb_class_new_instance(7, values, result_class);
}

static VALUE result_of_job(const spate_link_job *job) {
    VALUE damaged = job->status == SPATE_STALE
                        ? rb_assoc_new(SIZET2NUM(job->damaged_manifest), SIZET2NUM(job->damaged_entry))
                        : Qnil;
    return result_of(job->status, &job->error, job->linked, job->copied, damaged);
}

static VALUE link_body(VALUE argument) {
    link_work *w = (link_work *)argument;
    take_jobs(w->array, &w->jobs);
    take_link_options(w);
    spate_release(link_jobs, w); /* each job stores its own result */
    VALUE results = rb_ary_new_capa((long)w->jobs.count + 1);
    for (size_t i = 0; i < w->jobs.count; i++)
        rb_ary_push(results, result_of_job(&w->jobs.jobs[i]));
    if (w->has_links)
        rb_ary_push(results, result_of(w->links.status, &w->links.error, w->links.made, 0, Qnil));
    return results;
}

static VALUE link_end(VALUE argument) {
    link_work *w = (link_work *)argument;
    free_jobs(&w->jobs);
    free_links(&w->taken);
    ruby_xfree(w->root);
    return Qnil;
}

/*
 * link([[destination, [manifest, ...], :hard | :clone | :copy], ...], root: nil, links: nil) -> [LinkResult, ...]
 *
 * Creates trees. Later manifests override earlier ones. A failed job does not stop the others.
 *
 * If `root` (a directory, created if missing) is given, the destinations are clean paths relative to it, and no symlink
 * below it is followed: a symlink instead of a directory is an ENOTDIR error. `links` is {path => target or [text,
 * mode]}: symlinks and small files to create below root, replacing files and other symlinks. The last LinkResult is
 * that of the links: `linked` is their number and, after a failure, `member` is the first path that could not be
 * created.
 *
 * Trees may be nested, in any order; it is fastest if they are sorted by destination.
 */
static VALUE store_link(int argc, VALUE *argv, VALUE self) {
    link_work w = {.native = spate_store_of(self)};
    rb_scan_args(argc, argv, "1:", &w.array, &w.keywords);
    VALUE results = rb_ensure(link_body, (VALUE)&w, link_end, (VALUE)&w);
    RB_GC_GUARD(w.jobs.alive);
    RB_GC_GUARD(self);
    return results;
}

static VALUE result_is_ok(VALUE self) {
    return rb_struct_aref(self, INT2FIX(0)) == ID2SYM(rb_intern("ok")) ? Qtrue : Qfalse;
}

/* ---- gather ---- */

typedef struct gather_work {
    VALUE array, hash, facts;
    char *path;
    spate_jobs jobs;
    taken_links taken;
} gather_work;

static VALUE gather_body(VALUE argument) {
    gather_work *w = (gather_work *)argument;
    spate_error error;
    take_jobs(w->array, &w->jobs);
    take_links(w->hash, &w->taken);
    for (size_t i = 0; i < w->jobs.count; i++)
        if (w->jobs.jobs[i].manifest_count != 1)
            rb_raise(rb_eArgError, "a gathered tree has %zu manifests; expected 1", w->jobs.jobs[i].manifest_count);
    if (spate_gather(w->path, w->jobs.jobs, w->jobs.count, w->taken.items, w->taken.count, RSTRING_PTR(w->facts),
                     (size_t)RSTRING_LEN(w->facts), &error) != SPATE_OK)
        spate_raise(&error);
    return Qtrue;
}

static VALUE gather_end(VALUE argument) {
    gather_work *w = (gather_work *)argument;
    free_jobs(&w->jobs);
    free_links(&w->taken);
    ruby_xfree(w->path);
    return Qnil;
}

/*
 * gather(path, [[destination, [manifest]], ...], {path => target}, facts) -> true
 *
 * Writes one manifest of several trees and symlinks, all with clean relative paths. Raises Error if two of them have
 * the same path.
 */
static VALUE native_gather(VALUE self, VALUE path, VALUE jobs, VALUE links, VALUE facts) {
    gather_work w = {.array = jobs, .hash = links, .facts = StringValue(facts), .path = spate_copy_path(path)};
    VALUE written = rb_ensure(gather_body, (VALUE)&w, gather_end, (VALUE)&w);
    RB_GC_GUARD(w.jobs.alive);
    RB_GC_GUARD(facts);
    return written;
}

/* ---- check ---- */

typedef struct check_work {
    VALUE array;
    spate_jobs jobs;
    spate_pool *pool;
    unsigned threads;
    const uid_t *owner;
    spate_difference *differences;
    size_t count;
    spate_error error;
} check_work;

/* Minimum number of entries for which threads are worth their cost. */
#define MANY_ENTRIES 2048

static bool many_entries(const check_work *w) {
    size_t entries = 0;
    for (size_t i = 0; i < w->jobs.count; i++)
        for (size_t j = 0; j < w->jobs.jobs[i].manifest_count; j++)
            entries += spate_manifest_count(w->jobs.jobs[i].manifests[j]);
    return entries >= MANY_ENTRIES;
}

static spate_status check(void *context, const spate_cancel *cancel) {
    check_work *w = context;
    if (!w->pool && spate_pool_new(&w->pool, many_entries(w) ? w->threads : 1) != SPATE_OK)
        return spate_fail(&w->error, SPATE_NO_MEMORY, "", "no memory for threads");
    return spate_check_trees(w->pool, w->jobs.jobs, w->jobs.count, w->owner, &w->differences, &w->count, &w->error);
}

static VALUE check_body(VALUE argument) {
    static const char *const kinds[] = {"missing", "changed", "type", "folder"};
    check_work *w = (check_work *)argument;
    take_jobs(w->array, &w->jobs);
    if (spate_release(check, w) != SPATE_OK)
        spate_raise(&w->error);
    VALUE found = rb_ary_new_capa((long)w->count);
    for (size_t i = 0; i < w->count; i++) {
        const spate_difference *d = &w->differences[i];
        VALUE parts[4] = {SIZET2NUM(d->job), SIZET2NUM(d->manifest), SIZET2NUM(d->entry),
                          ID2SYM(rb_intern(kinds[d->kind]))};
        rb_ary_push(found, rb_ary_new_from_values(4, parts));
    }
    return found;
}

static VALUE check_end(VALUE argument) {
    check_work *w = (check_work *)argument;
    free(w->differences);
    spate_pool_free(w->pool);
    free_jobs(&w->jobs);
    return Qnil;
}

/*
 * check_trees([[destination, [manifest, ...], nil, guarded], ...], threads, owner = nil) -> [[job, manifest, entry,
 * :missing | :changed | :type | :folder], ...]
 *
 * Compares every path of the trees with its entry, by lstat. The result has zero-based indexes, sorted by job and path.
 * `threads` is nil for one per processor. `owner` is the user who, like root, may own files with several hard links;
 * nil accepts any user. `guarded` is the length of the destination up to the first directory that must not be writable
 * by other users: see link.h. If such a directory is writable or has changed, :folder is reported for entry 0.
 */
static VALUE native_check_trees(int argc, VALUE *argv, VALUE self) {
    VALUE jobs;
    VALUE threads;
    VALUE owner;
    rb_scan_args(argc, argv, "21", &jobs, &threads, &owner);
    long wanted = NIL_P(threads) ? (long)spate_processors() : NUM2LONG(threads);
    uid_t uid = NIL_P(owner) ? 0 : (uid_t)NUM2UINT(owner);
    check_work w = {.array = jobs, .threads = wanted < 1 ? 1 : (unsigned)wanted, .owner = NIL_P(owner) ? NULL : &uid};
    VALUE found = rb_ensure(check_body, (VALUE)&w, check_end, (VALUE)&w);
    RB_GC_GUARD(w.jobs.alive);
    RB_GC_GUARD(jobs);
    return found;
}

typedef struct links_work {
    VALUE hash;
    taken_links taken;
    char *root;
    spate_pool *pool;
    unsigned threads;
    bool *same;
    spate_error error;
} links_work;

static spate_status check_links(void *context, const spate_cancel *cancel) {
    links_work *w = context;
    if (!w->pool && spate_pool_new(&w->pool, w->threads) != SPATE_OK)
        return spate_fail(&w->error, SPATE_NO_MEMORY, "", "no memory for threads");
    return spate_check_links(w->pool, w->root, w->taken.items, w->taken.count, w->same, &w->error);
}

static VALUE links_body(VALUE argument) {
    links_work *w = (links_work *)argument;
    take_links(w->hash, &w->taken);
    w->same = ruby_xcalloc(w->taken.count + 1, sizeof(*w->same));
    if (spate_release(check_links, w) != SPATE_OK)
        spate_raise(&w->error);
    VALUE found = rb_ary_new();
    for (size_t i = 0; i < w->taken.count; i++)
        if (!w->same[i])
            rb_ary_push(found, spate_utf8(w->taken.items[i].path, strlen(w->taken.items[i].path)));
    return found;
}

static VALUE links_end(VALUE argument) {
    links_work *w = (links_work *)argument;
    spate_pool_free(w->pool);
    free_links(&w->taken);
    ruby_xfree(w->same);
    ruby_xfree(w->root);
    return Qnil;
}

/*
 * check_links(root, {path => target or [text, mode]}, threads) -> [path, ...]
 *
 * Returns the paths of symlinks and small files (as created by Store#link below a root) that are missing or differ.
 */
static VALUE native_check_links(VALUE self, VALUE root, VALUE links, VALUE threads) {
    long wanted = NUM2LONG(threads);
    links_work w = {.hash = links, .root = spate_copy_path(root), .threads = wanted < 1 ? 1 : (unsigned)wanted};
    return rb_ensure(links_body, (VALUE)&w, links_end, (VALUE)&w);
}

void spate_init_link(VALUE store_class) {
    result_class = rb_struct_define_under(spate_native, "LinkResult", "status", "linked", "copied", "message", "member",
                                          "errno", "damaged", NULL);
    rb_gc_register_mark_object(result_class);
    rb_define_method(result_class, "ok?", result_is_ok, 0);
    rb_define_method(store_class, "link", store_link, -1);
    rb_define_singleton_method(spate_native, "gather", native_gather, 4);
    rb_define_singleton_method(spate_native, "check_trees", native_check_trees, -1);
    rb_define_singleton_method(spate_native, "check_links", native_check_links, 3);
    rb_define_const(spate_native, "STILL_NS", LL2NUM(SPATE_STILL_NS));
}
