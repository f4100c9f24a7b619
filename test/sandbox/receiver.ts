import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Test } from 'tap';
import { z } from 'zod';

/** A received notification. */
interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A webhook receiver that records notifications and answers with a chosen status. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The status of the answer, by the number of earlier notifications. */
  status: (count: number) => number;
  /** Items of one key of all valid notifications. */
  items(key: string): Item[];
}

/** The fields of an item that tests use. */
type Item = z.infer<typeof Item>;

const Item = z.looseObject({
  userId: z.string().optional(),
  summaryId: z.string().optional(),
  startTimeInSeconds: z.int().optional(),
  durationInSeconds: z.int().optional(),
  callbackURL: z.string().optional(),
});
const Body = z.record(z.string(), z.unknown());
const Address = z.object({ port: z.number() });

/** Starts a receiver that echoes the challenge of a subscription, and stops it with the test. */
export async function startReceiver(t: Test): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: string[] = [];
    for await (const chunk of incoming.setEncoding('utf8')) chunks.push(chunk);
    const url = new URL(incoming.url ?? '/', 'http://receiver');
    if (incoming.method === 'GET') {
      response.end(JSON.stringify({ 'hub.challenge': url.searchParams.get('hub.challenge') }));
      return;
    }
    const text = chunks.join('');
    response.writeHead(receiver.status(received.length)).end('{}');
    received.push({ path: url.pathname, headers: incoming.headers, text, body: parse(text) });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${Address.parse(server.address()).port}/hooks`,
    received,
    status: () => 200,
    items: (key) => received.flatMap(({ body }) => z.array(Item).catch([]).parse(body[key])),
  };
  return receiver;
}

function parse(text: string): Record<string, unknown> {
  try {
    return Body.catch({}).parse(JSON.parse(text));
  } catch {
    return {};
  }
}
