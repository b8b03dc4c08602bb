is_leap() {
    [ $(($1 % 4)) -eq 0 ] && echo yes || echo no
}
