import { connect } from 'node:net';
import { answerReader } from './answer-reader.ts';

/** One keep-alive connection over a plain socket, which costs less CPU than any HTTP client. */
export interface Connection {
  /** Sends a request and calls back with the status when its answer is complete. */
  exchange(request: Uint8Array, done: (status: number) => void): void;
  close(): void;
}

/** Opens a connection; `onBroken` is called if it ends before it is closed. */
export async function openConnection(
  host: string,
  port: number,
  onBroken: (error: Error) => void,
): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host, port, noDelay: true }, resolve);
  socket.once('error', reject);
  await promise;
  const reader = answerReader();
  let waiting: ((status: number) => void) | null = null;
  socket.on('error', onBroken);
  socket.on('close', () => onBroken(new Error('the server closed a connection')));
  socket.on('data', (chunk) => {
    try {
      const status = reader.take(Buffer.from(chunk));
      if (status !== null) waiting?.(status);
    } catch (error) {
      onBroken(error instanceof Error ? error : new Error(String(error)));
    }
  });
  return {
    exchange(request, done) {
      waiting = done;
      socket.write(request);
    },
    close() {
      socket.removeAllListeners('close');
      socket.destroy();
    },
  };
}
