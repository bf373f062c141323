/* Long work that can be stopped, from the work's side. No Ruby. */
#ifndef SPATE_ZLIB_INTERRUPT_H
#define SPATE_ZLIB_INTERRUPT_H

#include <stdbool.h>

/* Set by Ruby when the thread is interrupted; work that can stop checks it between steps of at most 256 KiB. */
typedef struct spate_interrupt {
    volatile int requested;
} spate_interrupt;

/* Work without Ruby. True when done; false if it saw `interrupt` and can be continued by another call. */
typedef bool (*spate_stepwise)(void *context, spate_interrupt *interrupt);

#endif
