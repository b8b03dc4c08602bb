#ifndef SHOP_H
#define SHOP_H

#include <stdbool.h>
#include <stddef.h>

int total(const int *prices, size_t count);
void slug(char *title);
bool is_leap(int year);

#endif
