/* What executing a file opens besides: the interpreter that its first line names, the loader that its header does. */
#ifndef SPATE_EAR_PROGRAM_H
#define SPATE_EAR_PROGRAM_H

#include "ear/outcome.h"

/* folder: where an interpreter of a relative name is looked for. */
void spate_ear_program(const spate_ear_path *path, const char *folder);

#endif
