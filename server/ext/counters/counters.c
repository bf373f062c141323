#include <errno.h>
#include <ruby.h>
#include <stdint.h>
#include <sys/mman.h>

/*
 * A table of 64-bit counters in memory shared with forked processes: the counts of a killed worker are not lost, and
 * reading them needs no communication. Each row has one writer, so `add` needs no lock; cells are aligned, so no reader
 * sees a partial write. `exchange` is for cells with several writers.
 *
 * Each process unmaps the memory when its object is freed; other processes keep their mapping.
 */
typedef struct counters {
    uint64_t *cells;
    size_t rows;
    size_t columns;
} counters;

static size_t bytes_of(const counters *c) {
    return c->rows * c->columns * sizeof(uint64_t);
}

static void counters_free(void *pointer) {
    counters *c = pointer;
    /* munmap fails only for a range that mmap did not return. */
    if (c->cells && munmap(c->cells, bytes_of(c)) != 0)
        rb_bug("spate: counters: munmap: %d", errno);
    xfree(c);
}

static size_t counters_size(const void *pointer) {
    const counters *c = pointer;
    return sizeof(*c) + bytes_of(c);
}

static const rb_data_type_t counters_type = {
    "Spate::Server::Native::Counters", {NULL, counters_free, counters_size}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE counters_alloc(VALUE klass) {
    counters *c;
    return TypedData_Make_Struct(klass, counters, &counters_type, c);
}

static counters *counters_of(VALUE self) {
    counters *c = rb_check_typeddata(self, &counters_type);
    if (!c->cells)
        rb_raise(rb_eRuntimeError, "uninitialized counters");
    return c;
}

/*
 * new(rows, columns): creates counters with the value 0. Raises ArgumentError unless there are 1 to 2^20 cells,
 * SystemCallError.
 */
static VALUE counters_initialize(VALUE self, VALUE rows, VALUE columns) {
    counters *c = rb_check_typeddata(self, &counters_type);
    unsigned long r = NUM2ULONG(rows), k = NUM2ULONG(columns);
    if (c->cells)
        rb_raise(rb_eRuntimeError, "already initialized");
    if (r == 0 || k == 0 || r > (1u << 20) || k > (1u << 20) / r)
        rb_raise(rb_eArgError, "%lu rows of %lu counters", r, k);
    c->rows = r;
    c->columns = k;
    void *map = mmap(NULL, bytes_of(c), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        rb_sys_fail("mmap");
    c->cells = map;
    return self;
}

/* Returns the address of a cell. Raises IndexError for an invalid row or column. */
static uint64_t *cell(VALUE self, VALUE row, VALUE column) {
    counters *c = counters_of(self);
    unsigned long r = NUM2ULONG(row), k = NUM2ULONG(column);
    if (r >= c->rows || k >= c->columns)
        rb_raise(rb_eIndexError, "counter %lu of row %lu", k, r);
    return &c->cells[r * c->columns + k];
}

/* add(row, column, count): must only be called by the row's writer. */
static VALUE counters_add(VALUE self, VALUE row, VALUE column, VALUE count) {
    uint64_t *place = cell(self, row, column);
    __atomic_store_n(place, __atomic_load_n(place, __ATOMIC_RELAXED) + NUM2ULL(count), __ATOMIC_RELAXED);
    return self;
}

static VALUE counters_set(VALUE self, VALUE row, VALUE column, VALUE value) {
    __atomic_store_n(cell(self, row, column), NUM2ULL(value), __ATOMIC_RELAXED);
    return self;
}

static VALUE counters_get(VALUE self, VALUE row, VALUE column) {
    return ULL2NUM(__atomic_load_n(cell(self, row, column), __ATOMIC_RELAXED));
}

/* sum(column): the sum over all rows. */
static VALUE counters_sum(VALUE self, VALUE column) {
    counters *c = counters_of(self);
    uint64_t *first = cell(self, INT2FIX(0), column);
    uint64_t total = 0;
    for (size_t row = 0; row < c->rows; row++)
        total += __atomic_load_n(first + row * c->columns, __ATOMIC_RELAXED);
    return ULL2NUM(total);
}

/* exchange(row, column, value): sets a cell atomically, from any process, and returns its previous value. */
static VALUE counters_exchange(VALUE self, VALUE row, VALUE column, VALUE value) {
    return ULL2NUM(__atomic_exchange_n(cell(self, row, column), NUM2ULL(value), __ATOMIC_RELAXED));
}

static VALUE counters_rows(VALUE self) {
    return SIZET2NUM(counters_of(self)->rows);
}

RUBY_FUNC_EXPORTED void Init_counters(void) {
    VALUE spate = rb_define_module("Spate");
    VALUE server = rb_define_module_under(spate, "Server");
    VALUE native = rb_define_module_under(server, "Native");
    VALUE c = rb_define_class_under(native, "Counters", rb_cObject);
    rb_define_alloc_func(c, counters_alloc);
    rb_define_method(c, "initialize", counters_initialize, 2);
    rb_define_method(c, "add", counters_add, 3);
    rb_define_method(c, "set", counters_set, 3);
    rb_define_method(c, "get", counters_get, 2);
    rb_define_method(c, "sum", counters_sum, 1);
    rb_define_method(c, "exchange", counters_exchange, 3);
    rb_define_method(c, "rows", counters_rows, 0);
}
