cd "$(dirname "$0")/.." || exit 1
. ./lib/total.sh
. ./lib/slug.sh
. ./lib/leap.sh

number=0
failed=0

same() {
    number=$((number + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $number - $1"
    else
        failed=$((failed + 1))
        echo "not ok $number - $1"
        echo "  ---"
        echo "  found: '$2'"
        echo "  wanted: '$3'"
        echo "  ..."
    fi
}

echo "TAP version 13"
echo "1..6"
same "nothing costs nothing" "$(total)" 0
same "every price counts" "$(total 1 2 3)" 6
same "letters are small" "$(slug Hello)" hello
same "words are joined" "$(slug 'Hello World')" hello-world
same "every fourth year is one" "$(is_leap 2024)" yes
same "a century is none" "$(is_leap 1900)" no
[ "$failed" -eq 0 ]
