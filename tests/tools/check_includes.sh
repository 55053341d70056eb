#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Includes point one way: models knows nobody above it, traces and firmware do not know platform, and
# no two folders include each other, be it by way of others.
#
# usage: check_includes.sh SOURCE_DIR
# Each finding is one line "file: what"; the exit status is 1 if there is any.
set -u
cd "$1" || exit 1

find models platform firmware traces -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' |
    sort | xargs grep -E '^[ 	]*#[ 	]*include[ 	]*"' /dev/null | awk '
# The folder that a path lies in: models/bank, or platform for a file of its own.
function folder(path, part)
{
    split(path, part, "/")
    return path ~ /\/.*\// ? part[1] "/" part[2] : part[1]
}
function top(name)
{
    sub(/\/.*/, "", name)
    return name
}
function report(what)
{
    print what
    found = 1
}
{
    file = $0
    sub(/:.*/, "", file)
    split($0, quoted, "\"")
    header = quoted[2]
    if (header ~ /\.\./) {
        report(file ": " header ": includes go by the name from the top")
        next
    }
    if (header !~ /^(models|platform|firmware|traces)\//)
        next # of its own folder
    from = folder(file); to = folder(header)
    above = top(from) == "models" && top(to) != "models" ||
            top(from) != "platform" && top(to) == "platform"
    if (above)
        report(file ": " header ": " top(from) " does not know " top(to))
    if (top(from) != top(to)) { # as wholes
        from = top(from) "/"
        to = top(to) "/"
    }
    if (from == to)
        next
    count++
    at[count] = file; what[count] = header; source[count] = from; target[count] = to
    node[from]; node[to]; reaches[from, to] = 1
}
END {
    for (via in node)
        for (a in node)
            if ((a, via) in reaches)
                for (b in node)
                    if ((via, b) in reaches)
                        reaches[a, b] = 1
    for (i = 1; i <= count; i++)
        if ((target[i], source[i]) in reaches)
            report(at[i] ": " what[i] ": " target[i] " includes " source[i] ", too")
    if (!found)
        print "includes point one way: " count + 0 " of them from folder to folder"
    exit found
}'
