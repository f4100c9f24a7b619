import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { Comparison } from './application-secrets.ts';

// The thread of one comparison, which blocks for its whole time.
const { secret, hash }: Comparison = workerData;
parentPort?.postMessage(compareSync(secret, hash));
