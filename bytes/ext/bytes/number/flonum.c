#include "number/flonum.h"

bool spate_flonum_is_known = true;

void spate_init_flonum(void) {
    static const double samples[] = {
        0.0, 1.0, -1.5, 0.1, -1e-70, 1e70, 1.7272337110188893e-77, -1.1579208923731620e+77};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        VALUE number = DBL2NUM(samples[i]);
        if (RB_FLONUM_P(number) && spate_double_of_flonum(number) != samples[i]) {
            spate_flonum_is_known = false;
            return;
        }
    }
}
