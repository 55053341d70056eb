#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Slurm of two nodes on this machine, for tests: slurm_cluster.sh start|stop FOLDER. The folder's
# slurm.conf is for SLURM_CONF. Status 77: it cannot be started here, with the reason.
set -u
dir=$2
skip() {
    echo "no Slurm here: $*"
    exit 77
}

if [ "$1" = stop ]; then
    for name in slurmd-n1 slurmd-n2 ctld munge; do
        [ -s "$dir/$name.pid" ] && kill "$(cat "$dir/$name.pid")" 2>/dev/null
    done
    sleep 0.3
    exit 0
fi

for program in munged slurmctld slurmd sbatch squeue sinfo; do
    command -v $program >/dev/null || skip "no $program (Debian: slurmctld slurmd slurm-client munge)"
done
[ "$(id -u)" = 0 ] || skip "slurmd wants root"
mkdir -p "$dir/state"
chmod 755 "$dir"
dd if=/dev/urandom of="$dir/munge.key" bs=128 count=1 2>/dev/null
chmod 600 "$dir/munge.key"
host=$(hostname -s)
port=$((20000 + $$ % 5000 * 4)) # of three: tests run side by side
cat >"$dir/slurm.conf" <<END
ClusterName=smrf
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.sock
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/ctld.log
SlurmdLogFile=$dir/slurmd-%n.log
SlurmctldPort=$port
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
KillWait=1
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$dir/slurm.conf"
munged --force --socket="$dir/munge.sock" --key-file="$dir/munge.key" --pid-file="$dir/munge.pid" \
    --log-file="$dir/munge.log" --seed-file="$dir/munge.seed" || skip "munged does not start"
slurmctld -c -f "$SLURM_CONF" 2>"$dir/said" || skip "slurmctld: $(tail -n 1 "$dir/said")"
for node in n1 n2; do
    slurmd -f "$SLURM_CONF" -N $node 2>"$dir/said" || skip "slurmd: $(tail -n 1 "$dir/said")"
done
for _ in $(seq 100); do
    [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = 2 ] && exit 0
    sleep 0.1
done
"$0" stop "$dir"
skip "its nodes do not come up: $(tail -n 1 "$dir/ctld.log")"
