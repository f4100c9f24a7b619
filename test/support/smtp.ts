import { createServer, type Server as TcpServer } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Test } from 'tap';

/** A received message. */
interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The headers and the text, with quoted-printable lines joined. */
  readonly text: string;
}

/** A mail server of a test. */
export interface TestMailServer {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  stop(): Promise<void>;
}

const decoded = (text: string) =>
  text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Starts a server that takes every message; `options` change how it behaves. */
export async function startMailServer(
  t: Test,
  { port = 0, ...options }: SMTPServerOptions & { readonly port?: number } = {},
): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100, // a client that was refused keeps its connection
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: decoded(Buffer.concat(parts).toString('utf8')),
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined); // a client that ends early
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  t.teardown(stop);
  return { port: portOf(server.server), received, stop };
}

/** Starts a server that accepts connections and never says a word. */
export async function startSilentServer(t: Test): Promise<{ readonly port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    t.teardown(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return { port: portOf(server) };
}

function portOf(server: Pick<TcpServer, 'address'>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
