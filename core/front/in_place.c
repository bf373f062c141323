#include "front/in_place.h"

/* No record of an install is written yet, so there is nothing to decide by. */
bool spate_front_in_place(const struct spate_front_request *request, struct spate_front_answer *answer) {
    (void)request;
    *answer = (struct spate_front_answer){.doubt = "no record"};
    return false;
}
