/* Determines how much memory a program may use, like Boot::Exec::Heap::Memory. */
#ifndef SPATE_FRONT_MEMORY_H
#define SPATE_FRONT_MEMORY_H

#include <stdint.h>

/*
 * Returns the machine's available memory, limited by the control group (version 1 or 2) and its ancestors, in bytes; 0
 * if unknown. `root` is prepended to all paths; it is "" except in tests.
 */
uint64_t spate_available_memory(const char *root);

#endif
