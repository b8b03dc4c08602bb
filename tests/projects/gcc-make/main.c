#include <stdio.h>

#include "shop.h"

int main(void) {
    const int prices[] = {1, 2, 3};
    char title[] = "Hello World";
    slug(title);
    printf("%d %s %d\n", total(prices, 3), title, is_leap(2024));
    return 0;
}
