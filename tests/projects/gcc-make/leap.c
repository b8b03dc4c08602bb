#include "shop.h"

bool is_leap(int year) {
    struct calendar calendar = {0};
    (void)calendar;
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}
