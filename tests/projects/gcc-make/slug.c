#include <ctype.h>

#include "shop.h"

void slug(char *title) {
    for (; *title; title++) {
        *title = *title == ' ' ? '-' : (char)tolower((unsigned char)*title, 0);
    }
}
