/* Decides about the calls of processes that must not change files. */
#ifndef SPATE_TRACER_READ_ONLY_H
#define SPATE_TRACER_READ_ONLY_H

#include "tracer/here.h"
#include "tracer/table.h"

#ifdef SPATE_TRACER_HERE
#include <linux/seccomp.h>

/*
 * Two files may be opened for writing: /dev/null and the table, under the path that descendants use
 * (spate_tracer_address). Returns a descriptor for them, which the caller closes, or -1 for any other name. The tracer
 * opens the file itself, because the process could change the name after it has been checked.
 */
int spate_tracer_give(const struct seccomp_notif *asked, const char *address, int table_file);

/*
 * Returns the negative errno with which any other call is rejected, or 0 if it changes no file. `outcome` is the result
 * of spate_tracer_notice. Records the rejection in `table` (may be NULL) unless the path has been recorded. Decides
 * only by the call's number and registers.
 */
int spate_tracer_refuse(const struct seccomp_notif *asked, long outcome, spate_tracer_table *table);
#endif

#endif
