/* With ld --wrap, calls of malloc, calloc and realloc reach these functions first. A test can make one allocation
 * fail. */
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void harness_fail_allocation(long after);
long harness_allocations(void);

static _Thread_local long until_failure = -1;
static _Thread_local long made;

void harness_fail_allocation(long after) {
    until_failure = after;
    made = 0;
}

long harness_allocations(void) {
    return made;
}

static int fails(void) {
    made++;
    if (until_failure < 0)
        return 0;
    return until_failure-- == 0;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    return fails() ? NULL : __real_realloc(memory, size);
}
