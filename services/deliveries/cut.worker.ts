// Looks one large body through, and ends. A thread sees buffers as plain arrays of bytes.
import { parentPort, workerData } from 'node:worker_threads';
import { type CutTask, cut } from './cut-apart.ts';

const task: CutTask = workerData;
const { bytes } = task;
const told = cut({ ...task, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) });
if (told.kind !== 'rest') parentPort?.postMessage(told);
else {
  const body = new Uint8Array(told.body);
  parentPort?.postMessage({ ...told, body }, [body.buffer]);
}
