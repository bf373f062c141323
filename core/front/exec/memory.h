/* How much memory a program may use, as Boot::Exec::Heap::Memory. */
#ifndef SPATE_FRONT_MEMORY_H
#define SPATE_FRONT_MEMORY_H

#include <stdint.h>

/*
 * Bytes: the machine's free memory, limited by the control group (version 1 or 2) and its parents. `root`: of the file
 * system, "" except in tests. 0 if unknown.
 */
uint64_t spate_available_memory(const char *root);

#endif
