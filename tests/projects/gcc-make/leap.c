#include "shop.h"

bool is_leap(int year) {
    const bool is_century = year % 100 == 0
    return year % 4 == 0 && (!is_century || year % 400 == 0);
}
