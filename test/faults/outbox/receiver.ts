import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Test } from 'tap';
import { z } from 'zod';
import type { Random } from '../support/random.ts';

const Body = z.object({ type: z.string(), timestamp: z.string(), data: z.looseObject({}) });

/** A message with a valid signature. */
export interface Arrival extends z.infer<typeof Body> {
  readonly endpoint: string;
  /** Its `webhook-id`. */
  readonly id: string;
}

/** `failing`: answers at random 500, closes the connection or does not answer. `leaving`: answers 410 after some messages. */
export type Behaviour = 'honest' | 'failing' | 'leaving';

/** Endpoints of an application, which process messages late, out of order, and some of them twice. */
export interface Receiver {
  readonly origin: string;
  /** In the order in which they are processed. */
  readonly processed: readonly Arrival[];
  /** Requests that are not what the documentation says. */
  readonly complaints: readonly string[];
  readonly answers: ReadonlyMap<string, number>;
  add(endpoint: string, secret: string, behaviour: Behaviour): void;
  onProcessed(listener: (arrival: Arrival) => void): void;
  /** From now on every endpoint that did not leave answers 200. */
  heal(): void;
  /** Waits until all messages that arrived are processed. */
  untilProcessed(): Promise<void>;
}

type Answer = 200 | 410 | 500 | 'reset' | 'hang';
const messagesBeforeLeaving = 30;
/** Each holds the only slot of an endpoint that fails for 15 s. */
const mostHangs = 4;

/** Starts the endpoints' server; it stops with the test. */
export async function startReceiver(t: Test, random: Random): Promise<Receiver> {
  const secrets = new Map<string, { secret: string; behaviour: Behaviour }>();
  const processed: Arrival[] = [];
  const complaints: string[] = [];
  const answers = new Map<string, number>();
  const listeners: ((arrival: Arrival) => void)[] = [];
  const counts = new Map<string, number>();
  let [waiting, hangs, isHealed] = [0, 0, false];

  const process = async (arrival: Arrival) => {
    waiting += 1;
    await sleep(random.chance(0.1) ? random.below(15_000) : random.below(2000));
    processed.push(arrival);
    for (const listener of listeners) listener(arrival);
    waiting -= 1;
  };
  const answerOf = (endpoint: string, behaviour: Behaviour): Answer => {
    const count = (counts.get(endpoint) ?? 0) + 1;
    counts.set(endpoint, count);
    if (behaviour === 'leaving') return count > messagesBeforeLeaving ? 410 : 200;
    if (behaviour === 'honest' || isHealed) return 200;
    if (hangs < mostHangs && random.chance(0.01)) return hangs++ < mostHangs ? 'hang' : 500;
    return random.pick([200, 200, 200, 200, 200, 200, 500, 500, 500, 'reset'] as const);
  };
  const receive = (path: string, headers: IncomingHttpHeaders, text: string): Answer => {
    const endpoint = path.slice(1);
    const known = secrets.get(endpoint);
    const id = String(headers['webhook-id']);
    const body = known === undefined ? null : verified(known.secret, headers, text);
    if (known === undefined || body === null) {
      complaints.push(`${path}: ${id} is not verified`);
      return 500;
    }
    const answer = answerOf(endpoint, known.behaviour);
    answers.set(`${endpoint} ${answer}`, (answers.get(`${endpoint} ${answer}`) ?? 0) + 1);
    // A message may be processed although its sender receives no 200.
    if (answer === 200 || (answer !== 410 && random.chance(0.5))) {
      void process({ endpoint, id, ...body });
      if (random.chance(0.15)) void process({ endpoint, id, ...body });
    }
    return answer;
  };

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => reply(res, receive(req.url ?? '', req.headers, Buffer.concat(chunks).toString())));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return {
    ...{ origin: `http://127.0.0.1:${port}`, processed, complaints, answers },
    add: (endpoint, secret, behaviour) => void secrets.set(endpoint, { secret, behaviour }),
    onProcessed: (listener) => void listeners.push(listener),
    heal: () => {
      isHealed = true;
    },
    async untilProcessed() {
      while (waiting > 0) await sleep(50);
    },
  };
}

function verified(secret: string, headers: IncomingHttpHeaders, text: string) {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    new Webhook(secret).verify(text, Object.fromEntries(names.map((name) => [name, String(headers[name])])));
    return Body.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function reply(res: ServerResponse, answer: Answer): void {
  if (answer === 'hang') return;
  if (answer === 'reset') res.destroy();
  else res.writeHead(answer).end();
}
