/* Answers the calls of processes that may not change files. */
#ifndef SPATE_TRACER_READ_ONLY_H
#define SPATE_TRACER_READ_ONLY_H

#include "tracer/here.h"
#include "tracer/table.h"

#ifdef SPATE_TRACER_HERE
#include <linux/seccomp.h>

/*
 * Returns a descriptor for one of the two names that may be opened for writing: /dev/null, and the table's address,
 * where descendants find it (spate_tracer_address). Returns -1 for any other name. The caller closes the descriptor.
 * The tracer opens the file itself because the process could change the name after the answer.
 */
int spate_tracer_give(const struct seccomp_notif *asked, const char *address, int table_file);

/*
 * The negative errno with which any other call is rejected, or 0 if the call changes no file. outcome: the result of
 * spate_tracer_notice. table: records the rejection unless the path was recorded; may be NULL. Uses only the call's
 * number and registers.
 */
int spate_tracer_refuse(const struct seccomp_notif *asked, long outcome, spate_tracer_table *table);
#endif

#endif
