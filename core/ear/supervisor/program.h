/* The further files that executing a file opens: the interpreter on its first line, the loader in its header. */
#ifndef SPATE_EAR_PROGRAM_H
#define SPATE_EAR_PROGRAM_H

#include "ear/outcome.h"

/* folder: where an interpreter with a relative name is looked for. */
void spate_ear_program(const spate_ear_path *path, const char *folder);

#endif
