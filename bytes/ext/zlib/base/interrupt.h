/* Interruptible work. No Ruby. */
#ifndef SPATE_ZLIB_INTERRUPT_H
#define SPATE_ZLIB_INTERRUPT_H

#include <stdbool.h>

/* Set when Ruby interrupts the thread. Interruptible work checks it between steps of at most 256 KiB. */
typedef struct spate_interrupt {
    volatile int requested;
} spate_interrupt;

/* Returns true when done, or false after an interrupt: another call continues the work. Must not use Ruby. */
typedef bool (*spate_stepwise)(void *context, spate_interrupt *interrupt);

#endif
