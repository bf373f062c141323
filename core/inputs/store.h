/* A record's bytes into its file. */
#ifndef SPATE_INPUTS_STORE_H
#define SPATE_INPUTS_STORE_H

#include "inputs/format.h"
#include "inputs/path.h"

/* Fills in length and checksum and writes it, whole or not at all: under a name of its own, then renamed. */
spate_status spate_inputs_store(const char *path, uint8_t *bytes, size_t length, spate_error *error);

#endif
