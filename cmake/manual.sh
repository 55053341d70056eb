#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Manual pages and completion of the program, made by the program itself.
#
# usage: manual.sh SMRF FOLDER   (FOLDER: .../share)
set -eu
smrf=$1 share=$2
mkdir -p "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/site-functions"
"$smrf" help --man >"$share/man/man1/smrf.1"
for command in run info annotate compare sweep profile why at study list trace cars; do
    "$smrf" help --man "$command" >"$share/man/man1/smrf-$command.1"
done
"$smrf" help --completion bash >"$share/bash-completion/completions/smrf"
"$smrf" help --completion zsh >"$share/zsh/site-functions/_smrf"
