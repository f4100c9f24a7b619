import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const groups = '/sys/fs/cgroup/cpu';
const periodUs = 10_000;

/** Whether this process may limit the CPU of others: as root, where the controller `cpu` of cgroup v1 is mounted. */
export const canLimitCpu = process.getuid?.() === 0 && existsSync(join(groups, 'cpu.cfs_quota_us'));

/** Limits each of some processes to a share of a core. Returns how to remove the groups, once the processes have ended. */
export async function limitCpu(pids: readonly number[], share: number): Promise<() => Promise<void>> {
  const folders = pids.map((pid) => join(groups, `bench-${pid}`));
  for (const [index, folder] of folders.entries()) {
    await mkdir(folder);
    await writeFile(join(folder, 'cpu.cfs_period_us'), String(periodUs));
    await writeFile(join(folder, 'cpu.cfs_quota_us'), String(Math.round(share * periodUs)));
    await writeFile(join(folder, 'cgroup.procs'), String(pids[index]));
  }
  return async () => {
    for (const folder of folders) await rmdir(folder);
  };
}

/** The processes that a process has started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}
