import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { z } from 'zod';
import { eventTypes } from '../../../contracts/webhooks/events.ts';
import type { Sandbox } from '../../../sandbox/server/server.ts';
import { environmentOf, settingsOf } from '../../../stack/sandbox/sandbox.ts';
import { devicemakerOf } from '../../sandbox/application.ts';
import { freshDatabase, natsUrl, type TestDatabase } from '../../support/servers/database.ts';
import { type Cluster, oneEach, startCluster } from '../support/cluster.ts';
import { type Random, seeded } from '../support/random.ts';
import { Application } from './application.ts';
import { type Client, clientOf } from './client.ts';
import { type FeedReader, readFeed } from './feed-reader.ts';
import { killInTurn } from './kill-in-turn.ts';
import {
  changeActivity,
  changeBackfill,
  connectSimulated,
  ProvidersTime,
  startProviders,
} from './providers.ts';
import { hurryRetries, untilQuiet } from './quiet.ts';
import { type Behaviour, type Receiver, startReceiver } from './receiver.ts';
import { copySeries, type SeriesCopy } from './series-copy.ts';

/** How many changes and kills there are at least, and what repeats the random choices. */
export interface OutboxChoice {
  readonly changes: number;
  readonly kills: number;
  readonly seed: number;
}

/** The application, its endpoints and the product, when nothing is in progress any more. */
export interface OutboxRun {
  readonly database: TestDatabase;
  readonly client: Client;
  readonly origin: string;
  readonly key: string;
  readonly receiver: Receiver;
  readonly feed: FeedReader;
  readonly copy: SeriesCopy;
  readonly application: Application;
  /** The ids of the endpoints by their names. */
  readonly ids: ReadonlyMap<string, string>;
  /** The processes that were killed. */
  readonly killed: readonly string[];
  readonly minutes: number;
}

const endpoints: Readonly<Record<string, { behaviour: Behaviour; include_data: boolean }>> = {
  thin: { behaviour: 'honest', include_data: false },
  whole: { behaviour: 'honest', include_data: true },
  failing: { behaviour: 'failing', include_data: false },
  leaving: { behaviour: 'leaving', include_data: false },
};
/** The endpoints that receive every change. */
export const loyal = ['thin', 'whole', 'failing'] as const;

const lanes = 3;
/** Lanes wait while they are this many kills ahead. */
const killsAhead = 2;
/** More changes than that are not made to have all kinds. */
const kindsPatience = 2000;

/** Makes changes of all kinds and kills processes meanwhile. */
export async function runOutbox(t: Test, choice: OutboxChoice): Promise<OutboxRun> {
  const random = seeded(choice.seed);
  const database = await freshDatabase(t);
  const receiver = await startReceiver(t, random);
  const sandbox = await startProviders(t);
  const cluster = await startProduct(t, database, sandbox, receiver.origin);
  const [origin = ''] = cluster.origins;
  const client = clientOf(origin, cluster.key);
  const ids = await addEndpoints(client, receiver);
  const application = new Application(client, random, devicemakerOf(sandbox).client_id);
  const copy = copySeries(client, (userId) => application.made.has(userId));
  receiver.onProcessed((arrival) => {
    if (arrival.endpoint === 'failing') copy.follow(arrival);
  });
  const parts = {
    ...{ client, database, receiver, sandbox, cluster, random, ids, application, copy },
    choice,
  };
  const feed = readFeed(client);
  const began = performance.now();
  const killed = await changeAndKill({ ...parts, feed, log: (line) => t.comment(line) });
  const minutes = Math.round((performance.now() - began) / 6000) / 10;
  await feed.stop();
  await receiver.untilProcessed();
  await copy.untilRead();
  return {
    database,
    client,
    origin,
    key: cluster.key,
    receiver,
    feed,
    copy,
    application,
    ids,
    killed,
    minutes,
  };
}

/** A process for each service, two for the one that publishes and delivers. */
function startProduct(
  t: Test,
  database: TestDatabase,
  sandbox: Sandbox,
  receiverOrigin: string,
): Promise<Cluster> {
  const once = Object.fromEntries(Object.keys(oneEach).map((name) => [name, 1]));
  return startCluster(t, {
    ...{ database, natsUrl: natsUrl(), groups: oneEach, copies: { ...once, webhooks: 2 }, people: 0 },
    settings: {
      ...environmentOf(settingsOf(sandbox.access)),
      ...{ BACKFILL_DAYS: '3', BACKFILL_WAIT_SECONDS: '15', BACKFILL_TYPES: 'dailies,sleeps,activities' },
      ...{ CHANGE_JOIN_HISTORICAL_SECONDS: '5', WEBHOOK_ENDPOINT_ORIGINS: receiverOrigin },
    },
  });
}

const Created = z.object({ id: z.string(), secret: z.string() });

async function addEndpoints(client: Client, receiver: Receiver): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [name, { behaviour, include_data }] of Object.entries(endpoints)) {
    const body = { url: `${receiver.origin}/${name}`, include_data };
    const { id, secret } = Created.parse((await client.request('/webhook-endpoints', { body })).body);
    receiver.add(name, secret, behaviour);
    ids.set(name, id);
  }
  return ids;
}

interface Parts {
  readonly choice: OutboxChoice;
  readonly log: (line: string) => void;
  readonly client: Client;
  readonly database: TestDatabase;
  readonly receiver: Receiver;
  readonly sandbox: Sandbox;
  readonly cluster: Cluster;
  readonly random: Random;
  readonly ids: ReadonlyMap<string, string>;
  readonly application: Application;
  readonly feed: FeedReader;
}

async function changeAndKill(parts: Parts): Promise<string[]> {
  const { choice, client, cluster, database, feed, random, receiver, sandbox } = parts;
  const connected = await connectSimulated(sandbox, cluster.origins[0] ?? '', cluster.key);
  const time = new ProvidersTime(sandbox);
  const perKill = choice.changes / choice.kills;
  let [killed, acts, isOver] = [0, 0, false];
  const act = async () => {
    acts += 1;
    if (acts % 10 === 0) await hurryRetries(database, 0.3);
    if (random.chance(0.02)) return failRefresh(database);
    if (random.chance(0.9)) return parts.application.act();
    if (random.chance(0.3)) return sendAgain(parts);
    if (random.chance(0.2)) return changeBackfill(client, connected, random);
    if (random.chance(0.1)) return time.quarter();
    return changeActivity(sandbox, random);
  };
  const lane = async () => {
    while (!isOver) {
      // The kills are spread over the changes.
      const isAhead = killed < choice.kills && feed.changes.length > (killed + killsAhead) * perKill;
      await (isAhead ? sleep(50) : act());
    }
  };
  const running = Promise.all(Array.from({ length: lanes }, lane));
  running.catch(() => undefined); // thrown where it is awaited
  const untilChanges = async (isEnough: () => boolean) => {
    while (!isEnough()) await Promise.race([sleep(50), running]);
  };
  const names = await killInTurn(cluster, {
    ...{ count: choice.kills, random, log: parts.log },
    async due(n) {
      killed = n;
      await untilChanges(() => feed.changes.length >= (n + 0.5) * perKill);
    },
  });
  killed = choice.kills;
  await untilChanges(() => isWhole(feed, choice.changes));
  isOver = true;
  await running;
  receiver.heal();
  await untilQuiet(database, client);
  await time.stop();
  await untilQuiet(database, client);
  await sendAllAgain(parts);
  await untilQuiet(database, client);
  return names;
}

// As many changes as there should be, of all kinds.
function isWhole({ changes }: FeedReader, least: number): boolean {
  if (changes.length < least) return false;
  const types = new Set<string>(changes.map(({ type }) => type));
  return changes.length > least + kindsPatience || eventTypes.every((type) => types.has(type));
}

// The outcome of refreshes that fail for an hour, and of one that succeeds then. Changes within a second are joined.
async function failRefresh(database: TestDatabase): Promise<void> {
  await database.query(
    `update users.connection set status_reason = case when status_reason is null then 'REFRESH_FAILED' end
     where id in (select id from users.connection where status = 'active'
       and (status_reason is null or status_reason = 'REFRESH_FAILED') order by random() limit 3)`,
  );
}

// Asks for a message again, or for those of the last seconds.
async function sendAgain({ random, receiver, ids, client }: Parts): Promise<void> {
  const [message] = receiver.processed.slice(-random.below(200) - 1);
  if (message === undefined) return;
  const path = `/webhook-endpoints/${ids.get(message.endpoint)}`;
  if (random.chance(0.8)) {
    await client.request(`${path}/messages/${message.id}/resend`, { method: 'POST' });
    return;
  }
  const since = new Date(Date.now() - 5000).toISOString();
  await client.request(`${path}/replay`, { body: { since } });
}

// What was given up, and the messages of the last minute.
async function sendAllAgain({ client, ids }: Parts): Promise<void> {
  for (const name of loyal)
    await client.request(`/webhook-endpoints/${ids.get(name)}/recover`, { body: { since: '2020-01-01' } });
  const since = new Date(Date.now() - 60_000).toISOString();
  await client.request(`/webhook-endpoints/${ids.get('thin')}/replay`, { body: { since } });
}
