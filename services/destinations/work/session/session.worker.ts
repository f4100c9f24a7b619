import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { TargetError } from '../../../../domain/destinations/target-errors.ts';
import { fieldOf } from '../../../../domain/error-code.ts';
import { allowBytes, type Connection, limitReceivedBytes } from './connection.ts';
import type { Opening, Reply, Request, Work } from './threads.ts';

// The thread of a session. It alone talks to a target, and has no settings, no database and nothing of the environment but the
// folder of compiled code.

const send = (reply: Reply) => parentPort?.postMessage(reply);
let connection: Connection | null = null;

limitReceivedBytes(() => send({ kind: 'too_large' }));
parentPort?.on('message', async ({ id, work, allowedBytes }: Request) => {
  allowBytes(allowedBytes);
  try {
    send({ kind: 'value', id, value: await run(work) });
  } catch (error) {
    // Libraries throw what they stumble over in an answer.
    const reason =
      error instanceof TargetError && error.reason !== 'stopped' ? error.reason : 'answer_invalid';
    send({ kind: 'failed', id, reason, frames: error instanceof TargetError ? [] : framesOf(error) });
  }
});

async function run(work: Work): Promise<unknown> {
  switch (work.kind) {
    case 'ping':
      return null;
    case 'open':
      connection = await open(work.opening);
      return null;
    case 'close':
      return close();
    case 'call': {
      const called = connection?.functions[work.name];
      if (called === undefined) throw new Error(`no function ${work.name}`);
      return Reflect.apply(called, undefined, work.args);
    }
  }
}

// A thread loads what its targets need only.
async function open(opening: Opening): Promise<Connection> {
  switch (opening.kind) {
    case 's3':
      return (await import('../targets/s3/connection.ts')).openBucket(opening.bucket);
    case 'jetstream':
      return (await import('../targets/jetstream/connection.ts')).openStream(opening.stream);
    case 'postgres':
      return (await import('../targets/postgres/connection.ts')).openDatabase(opening.database);
  }
}

/** Returns whether the thread may serve another target: no socket is left. */
async function close(): Promise<boolean> {
  await connection?.close();
  connection = null;
  // The first turn begins to close the handles of sockets.
  await setImmediate();
  await setImmediate();
  return !process.getActiveResourcesInfo().some((name) => /TCP|TLS/.test(name));
}

// The message of an error may contain what the target sent.
function framesOf(error: unknown): string[] {
  const lines = String(fieldOf(error, 'stack')).split('\n');
  return lines.flatMap((line) => (/^\s+at /.test(line) ? [line.trim().slice(0, 200)] : [])).slice(0, 6);
}
