/* Long work that can be stopped, seen from the work. No Ruby. */
#ifndef SPATE_ZLIB_INTERRUPT_H
#define SPATE_ZLIB_INTERRUPT_H

#include <stdbool.h>

/* Set by Ruby when the thread is interrupted; work that can stop looks at it, between steps of 256 KiB or less. */
typedef struct spate_interrupt {
    volatile int requested;
} spate_interrupt;

/* Work that knows no Ruby. True when it is done; false when it saw `interrupt` and can go on at another call. */
typedef bool (*spate_stepwise)(void *context, spate_interrupt *interrupt);

#endif
