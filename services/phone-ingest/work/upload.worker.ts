import { parentPort, workerData } from 'node:worker_threads';
import { readUpload } from '../rules/upload-body.ts';

// The thread that reads one large upload. It sends a batch for each request, so that the amount in transit is bounded.

const { bytes, nowMs, timeZone }: { bytes: ArrayBuffer; nowMs: number; timeZone: string | null } = workerData;
const { head, batches } = readUpload(Buffer.from(bytes), nowMs, timeZone);

parentPort?.postMessage(head);
parentPort?.on('message', () => {
  const { value } = batches.next();
  parentPort?.postMessage(value ?? null);
});
