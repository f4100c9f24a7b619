// Removes accounts from one large body in a worker thread. Buffers are transferred between threads as plain byte arrays.
import { parentPort, workerData } from 'node:worker_threads';
import { type CutTask, cut } from './cut-apart.ts';

const task: CutTask = workerData;
const { bytes } = task;
const result = cut({ ...task, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) });
if (result.kind !== 'rest') parentPort?.postMessage(result);
else {
  const body = new Uint8Array(result.body);
  parentPort?.postMessage({ ...result, body }, [body.buffer]);
}
