/* Answers for processes that may not change files. */
#ifndef SPATE_TRACER_READ_ONLY_H
#define SPATE_TRACER_READ_ONLY_H

#include "tracer/here.h"
#include "tracer/table.h"

#ifdef SPATE_TRACER_HERE
#include <linux/seccomp.h>

/*
 * A descriptor for one of the two names that may be opened to be written, -1 for any other: /dev/null, and the table's
 * address, where descendants find it (spate_tracer_address). To be closed by the caller. The process could change the
 * name after the answer, so it is not the process that opens it.
 */
int spate_tracer_give(const struct seccomp_notif *asked, const char *address, int table_file);

/*
 * The negative errno that any other call fails with, 0 for one that changes no file. outcome: of spate_tracer_notice.
 * table: where the refusal is recorded unless the path was; NULL: nowhere. Decides by the call and what is in its
 * registers.
 */
int spate_tracer_refuse(const struct seccomp_notif *asked, long outcome, spate_tracer_table *table);
#endif

#endif
