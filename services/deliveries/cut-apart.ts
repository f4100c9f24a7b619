import { Worker } from 'node:worker_threads';
import type { ProviderName } from '../../providers/all.ts';
import { type Cut, cutBody, cutList } from './cut.ts';

/** A body to take accounts out of: as a provider sends it, or the list that a callback was answered with. */
export interface CutTask {
  readonly provider: ProviderName;
  readonly root: 'body' | 'list';
  readonly bytes: Buffer;
  readonly accounts: readonly string[];
}

/** To look through so much takes less than 10 ms. */
const mostBytesHere = 1024 * 1024;

/** Takes accounts out of a body; of a large one in a thread of its own, which ends with it. `bytes` are used up. */
export async function cutApart(task: CutTask): Promise<Cut> {
  return task.bytes.length <= mostBytesHere ? cut(task) : cutInThread(task);
}

/** Takes accounts out of a body, here and now. */
export function cut({ provider, root, bytes, accounts }: CutTask): Cut {
  const set = new Set(accounts);
  return root === 'list' ? cutList(bytes, set) : cutBody(provider, bytes, set);
}

function cutInThread(task: CutTask): Promise<Cut> {
  const worker = new Worker(new URL('./cut.worker.ts', import.meta.url), { workerData: task });
  const { promise, resolve, reject } = Promise.withResolvers<Cut>();
  worker.once('message', (told: Cut) => {
    const isRest = told.kind === 'rest';
    resolve(isRest ? { ...told, body: Buffer.from(told.body.buffer) } : told);
  });
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('the cutting thread ended')));
  return promise;
}
