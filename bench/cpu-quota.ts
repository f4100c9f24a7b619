import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const groups = '/sys/fs/cgroup/cpu';
const periodUs = 10_000;

/** The share of a core that leaves load and database more than one of two cores. */
export const smallShare = 0.4;

/** Whether this process may limit the CPU of others: as root, where the controller `cpu` of cgroup v1 is mounted. */
export const canLimitCpu = process.getuid?.() === 0 && existsSync(join(groups, 'cpu.cfs_quota_us'));

const groupOf = (pid: number) => join(groups, `bench-${pid}`);

/** Limits each of some processes to a small share of a core. */
export async function limitCpu(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    const group = groupOf(pid);
    await mkdir(group);
    await writeFile(join(group, 'cpu.cfs_period_us'), String(periodUs));
    await writeFile(join(group, 'cpu.cfs_quota_us'), String(Math.round(smallShare * periodUs)));
    await writeFile(join(group, 'cgroup.procs'), String(pid));
  }
}

/** Removes the limits of processes, which may have ended. */
export async function removeLimits(pids: readonly number[]): Promise<void> {
  for (const pid of pids.filter((one) => existsSync(groupOf(one)))) {
    if (existsSync(`/proc/${pid}`)) await writeFile(join(groups, 'cgroup.procs'), String(pid));
    await rmdir(groupOf(pid));
  }
}

/** The processes that a process has started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}
