#include "shop.h"

int total(const int *prices, size_t count) {
    int result = 0;
    for (size_t i = 0; i < count; i++) {
        sum += prices[i];
    }
    return result;
}
