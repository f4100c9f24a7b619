import { Worker } from 'node:worker_threads';
import type { ProviderName } from '../../providers/all.ts';
import { type Cut, cutBody, cutList } from './cut.ts';

/** A body to remove accounts from: the body of a delivery, or a list that was fetched for a ping. */
export interface CutTask {
  readonly provider: ProviderName;
  readonly root: 'body' | 'list';
  readonly bytes: Buffer;
  readonly accounts: readonly string[];
}

/** Bodies up to this size are processed in less than 10 ms. */
const mostBytesHere = 1024 * 1024;

/** Removes accounts from a body. A large body is processed in a worker thread of its own. `bytes` are consumed. */
export async function cutApart(task: CutTask): Promise<Cut> {
  return task.bytes.length <= mostBytesHere ? cut(task) : cutInThread(task);
}

/** Removes accounts from a body in this thread. */
export function cut({ provider, root, bytes, accounts }: CutTask): Cut {
  const set = new Set(accounts);
  return root === 'list' ? cutList(bytes, set) : cutBody(provider, bytes, set);
}

function cutInThread(task: CutTask): Promise<Cut> {
  const worker = new Worker(new URL('./cut.worker.ts', import.meta.url), { workerData: task });
  const { promise, resolve, reject } = Promise.withResolvers<Cut>();
  worker.once('message', (result: Cut) => {
    const isRest = result.kind === 'rest';
    resolve(isRest ? { ...result, body: Buffer.from(result.body.buffer) } : result);
  });
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('the cutting thread ended')));
  return promise;
}
