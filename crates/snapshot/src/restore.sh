#!/bin/sh
# Writes a snapshot into a new directory. Needs only a POSIX shell, tar and zstd.
#
#   sh restore.sh SNAPSHOT DIRECTORY
#
# A pack is a tar archive compressed with zstd; each member is named by the BLAKE3 of its content. A snapshot is such a
# member; its second line names a tree. A tree has one line per name:
#   kind (f, l, d, p)  mode in octal  content  size  name (in the form that `printf %b` reads)
# where the content of a directory is again a tree, and that of a link is where it leads.
set -eu
LC_ALL=C
export LC_ALL
umask 077

[ $# -eq 2 ] || { echo "usage: sh $0 SNAPSHOT DIRECTORY" >&2; exit 2; }
vault=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
[ -z "$(ls -A "$2")" ] || { echo "$2 is not empty" >&2; exit 1; }
to=$(cd "$2" && pwd)
content=$(mktemp -d "$to/.content-XXXXXX")
trap 'rm -rf "$content"' EXIT
for pack in "$vault"/pack-*.tar.zst; do
    zstd -dcq "$pack" | tar -xf - -C "$content"
done
[ -f "$content/$1" ] || { echo "no snapshot $1 in $vault" >&2; exit 1; }

# A dot keeps the shell from cutting line ends off; it is taken away again.
text() { printf '%b.' "$1"; }

tree() { # TREE DIRECTORY
    while read -r kind mode what _size name; do
        path=$(text "$name")
        path=$2/${path%.}
        case $kind in
            f)
                cp "$content/$what" "$path"
                chmod "$mode" "$path"
                ;;
            l)
                target=$(cat "$content/$what"; printf .)
                ln -s "${target%.}" "$path"
                ;;
            p)
                mkfifo "$path"
                chmod "$mode" "$path"
                ;;
            d)
                mkdir "$path"
                (tree "$what" "$path")
                chmod "$mode" "$path"
                ;;
        esac
    done <"$content/$1"
}
tree "$(sed -n 's/^tree //p' "$content/$1")" "$to"
