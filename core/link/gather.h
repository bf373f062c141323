/* Writes the contents of several trees as one manifest, with which spate_link creates all of them as one tree. */
#ifndef SPATE_GATHER_H
#define SPATE_GATHER_H

#include "link/link.h"

/*
 * Each job has one manifest; its entries are written below the job's destination, a clean relative path. Of the links,
 * only symlinks are written. Returns SPATE_REFUSED if two of the entries have the same path.
 */
spate_status spate_gather(const char *path, const spate_link_job *jobs, size_t count, const spate_symlink *links,
                          size_t link_count, const char *facts, size_t facts_length, spate_error *error);

#endif
