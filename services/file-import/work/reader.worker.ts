// The thread that reads a file. It sends a batch for each request, so that the amount in transit is bounded.

import { parentPort, workerData } from 'node:worker_threads';
import { FileProblem } from '../rules/file-bytes.ts';
import { openFile } from '../rules/read-file.ts';
import { fileBytes, fileFolder } from './file-folder.ts';
import type { ReaderInput, ReaderMessage } from './open-reader.ts';

const { folder, id, bytes, context }: ReaderInput = workerData;
const send = (message: ReaderMessage) => parentPort?.postMessage(message);

async function answering(work: () => Promise<ReaderMessage>): Promise<void> {
  try {
    send(await work());
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    send({ problem: error.message });
  }
}

await answering(async () => {
  const { kind, batches } = await openFile(fileBytes(fileFolder(folder), id, bytes), context);
  parentPort?.on('message', () => {
    void answering(async () => {
      const { done, value } = await batches.next();
      if (done) return { batch: null };
      return value === null ? { passed: true } : { batch: value };
    });
  });
  return { kind };
});
