/* What a question of the filter says: read from the asking process while it waits, and written into the table. */
#ifndef SPATE_EAR_NOTICE_H
#define SPATE_EAR_NOTICE_H

#include "ear/here.h"
#include "ear/table.h"

#ifdef SPATE_EAR_HERE
#include <linux/seccomp.h>

/* listener: for whether the process still waits; what was read of one that does not is not written. texts: a file that
 * takes what is removed, see spate_ear_texts. */
void spate_ear_notice(spate_ear_table *table, int listener, int texts, const struct seccomp_notif *asked);
#endif

#endif
