#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Manual pages and completion, made by the programs themselves.
#
# usage: manual.sh SMRF SMRF_GEN FOLDER   (FOLDER: .../share)
set -eu
smrf=$1 gen=$2 share=$3
mkdir -p "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/site-functions"

# page NAME COMMAND..: writes the page that a command prints, compressed as manual pages are.
page() {
    name=$1
    shift
    "$@" >"$share/man/man1/$name.1"
    gzip -9nf "$share/man/man1/$name.1"
}

page smrf "$smrf" help --man
for command in run info annotate compare sweep profile why at study list trace cars; do
    page "smrf-$command" "$smrf" help --man "$command"
done
page smrf-gen "$gen" --man
"$smrf" help --completion bash >"$share/bash-completion/completions/smrf"
"$smrf" help --completion zsh >"$share/zsh/site-functions/_smrf"
