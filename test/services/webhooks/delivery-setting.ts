import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { rowJobs } from '../../../mixins/jobs/row-jobs.ts';
import { type Cipher, cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { newPoster } from '../../../runtime/http/guarded-post.ts';
import { type DeliveryPace, deliveryPace } from '../../../services/webhooks/rules/outcome.ts';
import { newSecret } from '../../../services/webhooks/rules/signatures.ts';
import { type DeliveryDeps, startDelivering } from '../../../services/webhooks/work/deliver.ts';
import { messageBodies } from '../../../services/webhooks/work/message-body.ts';
import { startCallbackServer } from '../../support/callback-server.ts';
import { startBroker, testConfig } from '../../support/servers/broker.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';

/** A request that a receiver got. */
interface Received {
  readonly path: string;
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** An endpoint in the database. */
export interface TestEndpoint {
  readonly id: string;
  readonly path: string;
  readonly secret: string;
}

/** Endpoints on loopback, their messages, and what they received. */
export interface DeliverySetting {
  readonly database: TestDatabase;
  readonly origin: string;
  readonly received: Received[];
  /** How the receiver at a path answers. Default: 200. */
  readonly answers: Map<string, Answer>;
  readonly clock: { aheadMs: number };
  readonly cipher: Cipher;
  endpoint(fields?: Record<string, unknown>): Promise<TestEndpoint>;
  /** Inserts a change and a message of it for each endpoint. Returns the ids of the messages. */
  change(endpoints: readonly TestEndpoint[], fields?: Record<string, unknown>): Promise<string[]>;
  /** Starts a process that delivers. Returns the function that stops it. */
  deliver(pace?: Partial<DeliveryPace>): Promise<() => Promise<void>>;
  /** The dependencies of a process without its worker. */
  deps(pace?: Partial<DeliveryPace>): Promise<DeliveryDeps>;
  message(id: string): Promise<Record<string, unknown>>;
  attempts(id: string): Promise<Record<string, unknown>[]>;
  /** Waits until a message has a state. */
  reaches(id: string, state: string): Promise<void>;
}

/** A pace without pauses. */
export const fast: DeliveryPace = { ...deliveryPace, pollMs: 10, random: () => 0.5 };

/** Answers with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_req, res) =>
    void res.writeHead(code, headers).end(`answer ${code}`);

/** Starts receivers on loopback over a database without messages. */
export async function startSetting(t: Test): Promise<DeliverySetting> {
  const database = await freshDatabase(t);
  const server = await startCallbackServer(t);
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const clock = { aheadMs: 0 };
  const cipher = cipherOf(testConfig({ databaseUrl: database.url }));

  server.answer(async (req, res) => {
    const path = req.url ?? '';
    const headers = Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
    );
    received.push({ path, id: headers['webhook-id'] ?? '', headers, body: await text(req) });
    (answers.get(path) ?? status(200))(req, res);
  });

  const deps = async (pace: Partial<DeliveryPace> = {}): Promise<DeliveryDeps> => {
    const { broker, call } = await startBroker(t, { databaseUrl: database.url, services: [] });
    const environment = {
      broker,
      call,
      logger: broker.logger,
      config: testConfig({ databaseUrl: database.url }),
    };
    const poster = newPoster({ origins: [server.origin] });
    t.teardown(() => poster.close());
    return {
      ...environment,
      database,
      cipher,
      poster,
      rowJobs: await rowJobs()({ ...environment, onStop: () => undefined }),
      bodyOf: messageBodies(call, { providerAs: (provider) => provider, baseUrl: '' }),
      pace: { ...fast, aheadMs: () => clock.aheadMs, ...pace },
    };
  };

  const message = async (id: string) => {
    const [row = {}] = await database.query('select * from webhooks.message where id = $1', [id]);
    return row;
  };

  return {
    ...{ database, origin: server.origin, received, answers, clock, cipher, deps, message },
    async endpoint(fields = {}) {
      const [id, secret] = [randomUUID(), newSecret()];
      const path = `/${id}`;
      const row = { id, url: `${server.origin}${path}`, secret: cipher.encrypt(secret, id), ...fields };
      await insert(database, 'webhooks.endpoint', row);
      return { id, path, secret };
    },
    async change(endpoints, fields = {}) {
      const change = {
        ...{
          user_id: randomUUID(),
          sequence: 1,
          type: 'workout.created',
          object: 'x',
          historical: false,
          n: 0,
        },
        ...{ data: {}, recorded_at: new Date(), ...fields },
      };
      const change_id = await insert(database, 'changes.change', change);
      const { user_id, type, recorded_at, historical } = change;
      const row = { change_id, user_id, type, recorded_at, lane: historical ? 10 : 0 };
      const ids: string[] = [];
      for (const { id } of endpoints)
        ids.push(String(await insert(database, 'webhooks.message', { ...row, endpoint_id: id })));
      return ids;
    },
    async deliver(pace) {
      const stop = startDelivering(await deps(pace));
      let stopped: Promise<void> | undefined;
      const once = () => (stopped ??= stop());
      t.teardown(once);
      return once;
    },
    attempts: (id) =>
      database.query('select * from webhooks.attempt where message_id = $1 order by number', [id]),
    reaches: (id, state) => until(async () => (await message(id)).state === state),
  };
}

async function insert(database: TestDatabase, table: string, row: Record<string, unknown>): Promise<unknown> {
  const columns = Object.keys(row);
  const [inserted] = await database.query<{ id: unknown }>(
    `insert into ${table} (${columns}) values (${columns.map((_, index) => `$${index + 1}`)}) returning id`,
    Object.values(row),
  );
  return inserted?.id;
}
