import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import type { Test } from 'tap';

/** Writes the bytes of an answer to a connection, after the head of its request. */
export type RawAnswer = (socket: Socket, request: string) => void;

/** A receiver on loopback that answers with raw bytes, by path. */
export interface RawReceiver {
  readonly origin: string;
  readonly answers: Map<string, RawAnswer>;
  /** The requests, in their order. */
  readonly requests: { readonly path: string; readonly text: string }[];
  /** Bytes that this process read of the connections of a path. */
  readBytes(path: string): number;
}

/** Starts a receiver. A path without an answer is answered 200. */
export async function startRawReceiver(t: Test): Promise<RawReceiver> {
  const answers = new Map<string, RawAnswer>();
  const requests: { path: string; text: string }[] = [];
  const ports = new Map<string, number[]>();
  const readers = noteReaders(t);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      const text = data.toString('latin1');
      const path = text.split(' ')[1] ?? '';
      requests.push({ path, text });
      ports.set(path, [...(ports.get(path) ?? []), socket.remotePort ?? 0]);
      (answers.get(path) ?? ok)(socket, text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    ...{ origin: `http://127.0.0.1:${port}`, answers, requests },
    readBytes: (path) =>
      (ports.get(path) ?? []).reduce((sum, one) => sum + (readers.get(one)?.bytesRead ?? 0), 0),
  };
}

// The connections that this process opens, by their local port.
function noteReaders(t: Test): Map<number, Socket> {
  const readers = new Map<number, Socket>();
  const note = (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    const { socket } = message;
    if (socket instanceof Socket)
      socket.once('connect', () => void readers.set(socket.localPort ?? 0, socket));
  };
  subscribe('net.client.socket', note);
  t.teardown(() => void unsubscribe('net.client.socket', note));
  return readers;
}

/** Sends a head and a body, and closes the connection. */
export const sends =
  (statusLine: string, body: string | Uint8Array = '', headers: readonly string[] = []): RawAnswer =>
  (socket) => {
    socket.write(
      `HTTP/1.1 ${statusLine}\r\n${[...headers, 'connection: close'].join('\r\n')}\r\n\r\n`,
      'latin1',
    );
    socket.end(body);
  };

const ok = sends('200 OK', 'ok', ['content-length: 2']);

/** Sends a beginning and then a text again and again, as fast as it is read, at most 10 GB. */
export const floods =
  (beginning: string, repeated: string): RawAnswer =>
  (socket) => {
    const part = repeated.repeat(Math.ceil(65_536 / repeated.length));
    let left = 10_000_000_000 / part.length;
    const more = () => {
      while (left > 0 && !socket.destroyed) {
        left -= 1;
        if (!socket.write(part)) return;
      }
    };
    socket.on('drain', more);
    socket.write(beginning);
    more();
  };

/** Sends a beginning and then a text every few milliseconds. */
export const drips =
  (beginning: string, repeated: string): RawAnswer =>
  (socket) => {
    socket.write(beginning);
    const timer = setInterval(() => socket.write(repeated), 20);
    socket.on('close', () => clearInterval(timer));
  };
