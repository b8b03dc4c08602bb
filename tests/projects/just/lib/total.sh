total() {
    sum=0
    while [ $# -gt 1 ]; do
        sum=$((sum + $1))
        shift
    done
    echo "$sum"
}
