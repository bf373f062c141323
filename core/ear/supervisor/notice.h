/* What a question of the filter says: read from the asking process while it waits, and recorded in the table. */
#ifndef SPATE_EAR_NOTICE_H
#define SPATE_EAR_NOTICE_H

#include "ear/here.h"
#include "ear/table.h"

#ifdef SPATE_EAR_HERE
#include <linux/seccomp.h>

/*
 * listener: to check whether the process still waits; what was read from one that does not is discarded. texts: a file
 * for removed texts, see spate_ear_texts.
 */
void spate_ear_notice(spate_ear_table *table, int listener, int texts, const struct seccomp_notif *asked);
#endif

#endif
