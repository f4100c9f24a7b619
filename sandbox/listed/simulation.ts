import type { Item } from '../../domain/recipe/read-fields.ts';
import { ok, type Reply, type Route, refused, route } from '../server/http.ts';
import { answerForUser, userOfChoice } from '../server/user-choice.ts';
import type { Random } from '../simulation/random.ts';
import type { Provider, Simulation } from '../simulation/simulation.ts';
import { accessRoutes, endAccess } from './access.ts';
import {
  type ListedAccount,
  type ListedChange,
  type ListedMessage,
  type ListedSpec,
  type ListedWorld,
  messageOf,
  openListed,
  type Subscriptions,
} from './listed.ts';
import { addListedSamples, expectedRecords, recordsIn, shownDays } from './records.ts';

const dayMs = 86_400_000;

/** A simulation of a provider that lists records. */
export function listedSimulation<const N extends string>(
  spec: ListedSpec & { readonly name: N },
): Simulation & { readonly name: N } {
  const Message = messageOf(spec.name);
  return {
    name: spec.name,
    application: { shape: {}, initial: {} },
    hasAccount: spec.hasAccount,
    // As a person does on a page of the provider, unless the application makes its webhook itself.
    async pointAt({ access, webhooks, secret, request }) {
      if (spec.subscribes || spec.webhookPath === null) return;
      const url = `${webhooks}/${spec.name}${spec.webhookPath}${secret === null ? '' : `/${secret}`}`;
      await request(`${access.url}/${spec.name}/control/webhook?url=${encodeURIComponent(url)}`, {
        method: 'POST',
      });
    },
    open(world) {
      const opened = openListed(world, spec);
      const subscriptions = spec.subscriptions(opened);
      return providerOf({ ...opened, subscriptions }, (contents) => Message.parse(contents));
    },
  };
}

/** The world with the subscriptions of the application. Null: a person makes them. */
interface OpenWorld extends ListedWorld {
  readonly subscriptions: Subscriptions | null;
}

function providerOf(world: OpenWorld, read: (contents: unknown) => ListedMessage): Provider {
  const { spec, own, subscriptions } = world;
  return {
    name: spec.name,
    title: spec.title,
    routes: [
      ...controlRoutes(world),
      ...(subscriptions?.routes ?? []),
      ...spec.files(world),
      ...accessRoutes(world),
    ],
    settings: spec.settings(`${world.url}/${spec.name}`, own.client),
    delivery: {
      answerWithinMs: 2000,
      attempts: 6,
      firstGapMs: 10_000,
      longestGapMs: 3_600_000,
      acceptedStatus: spec.acceptedStatus,
    },
    retryAfter: { 'Retry-After': String(world.limits.retryAfterSeconds) },
    sendNewData: () => sendNewRecords(world),
    isReady: () => own.webhook !== null && !own.webhook_off,
    post(contents) {
      const message = read(contents);
      const event = message.kind === 'change' ? eventOf(world, message) : null;
      const body = message.kind === 'change' ? JSON.stringify(event) : message.text;
      if (own.webhook === null || (message.kind === 'change' && event === null)) return null;
      const signed = spec.sign(world, message.kind === 'change' ? body : `${body} `, Date.now());
      return {
        url: new URL(own.webhook),
        headers: { 'Content-Type': 'application/json', ...signed.headers },
        body: message.kind === 'change' ? signed.body : body,
      };
    },
    acknowledged: () => undefined,
    invalidNotification: (_, chance) => invalid(spec.name, chance),
    tokenHolders: () => own.accounts,
    account(user) {
      const account = accountOf(world, user);
      if (account === null) return null;
      return {
        shown: { connected: account.authorized, id: account.id },
        expectedData: () => expectedRecords(world, account),
        addSamples: (sink) => addListedSamples(sink, world, account),
      };
    },
  };
}

const garbage = ['{', 'null', '[]', JSON.stringify({ user_id: 1 })] as const;

function invalid(name: string, chance: Random): ListedMessage {
  return { kind: 'garbage', path: `/${name}/events`, text: chance.pick(garbage) };
}

function accountOf({ own }: ListedWorld, user: number | null): ListedAccount | null {
  return own.accounts.find(({ person }) => person === user) ?? null;
}

function eventOf(world: OpenWorld, message: Extract<ListedMessage, { kind: 'change' }>): object | null {
  const account = world.own.accounts.find(({ id }) => id === message.account);
  return account === undefined ? null : sentOf(world, account, message);
}

/** What the application is notified of. Null: the provider notifies of no such change, or is not subscribed to. */
function sentOf(world: OpenWorld, account: ListedAccount, change: ListedChange): Item | null {
  const event = world.spec.eventOf(account, change);
  return event !== null && (world.subscriptions?.concerns(event) ?? true) ? event : null;
}

/** Sends a notification of a change, if the provider notifies of it. */
function sendChange(
  world: OpenWorld,
  account: ListedAccount,
  change: Pick<ListedChange, 'type' | 'id' | 'operation' | 'start_ms'>,
): void {
  const { spec, outbox, clock } = world;
  const whole = { kind: 'change' as const, account: account.id, ms: clock.nowMs(), ...change };
  const message: ListedMessage = { ...whole, provider: spec.name };
  if (sentOf(world, account, whole) !== null) outbox.add(spec.name, message);
}

// A record is notified once it is available.
function sendNewRecords(world: OpenWorld): void {
  const nowMs = world.clock.nowMs();
  for (const account of world.own.accounts) {
    const fromMs = account.live_ms;
    account.live_ms = nowMs;
    if (!account.authorized) continue;
    for (const type of Object.keys(world.spec.kinds))
      for (const { id, startMs: start_ms, availableMs } of recordsIn(world, account, type, {
        startMs: fromMs - 3 * dayMs,
        endMs: nowMs + 1,
      }))
        if (availableMs > fromMs) sendChange(world, account, { type, id, operation: 'update', start_ms });
  }
  world.store.touch();
}

/** When a record of the last days began. Empty: it is not known. */
function startOf(world: ListedWorld, account: ListedAccount, type: string, id: string) {
  const span = { startMs: world.clock.nowMs() - shownDays * dayMs, endMs: world.clock.nowMs() + 1 };
  const found = recordsIn(world, account, type, span).find((one) => one.id === id);
  return found === undefined ? {} : { start_ms: found.startMs };
}

/** What tests change: the address of notifications, deleted and changed records, and access. */
function controlRoutes(world: OpenWorld): Route[] {
  const { spec, own, store, subscriptions } = world;
  const withAccount = (person: string, use: (account: ListedAccount) => void): Reply => {
    const account = accountOf(world, userOfChoice(world, person));
    if (account === null) return refused(`This person is not connected to ${spec.title}.`, 404);
    use(account);
    store.save();
    return ok({});
  };
  const base = `/${spec.name}/control`;
  return [
    route('POST', `${base}/webhook`, ({ query }) => {
      own.webhook = query.get('url');
      if (own.webhook !== null) subscriptions?.pointAt(own.webhook);
      store.save();
      return ok({});
    }),
    // As after days in which no notification was accepted.
    route('POST', `${base}/webhook-off`, () => {
      own.webhook_off = true;
      store.save();
      return ok({});
    }),
    // The user begins a workout of ten minutes in a minute.
    route('POST', `${base}/people/:person/workouts`, ({ params }) =>
      withAccount(params.person ?? '', (account) => {
        account.recorded.push(world.clock.nowMs() + 60_000 + account.recorded.length * 1000);
      }),
    ),
    route('POST', `${base}/people/:person/access`, ({ params }) =>
      withAccount(params.person ?? '', (account) => endAccess(world, account)),
    ),
    route('DELETE', `${base}/people/:person/:type/:id`, ({ params: { person = '', type = '', id = '' } }) =>
      withAccount(person, (account) => {
        account.deleted.push(id);
        sendChange(world, account, { type, id, operation: 'delete' });
      }),
    ),
    route('POST', `${base}/people/:person/:type/:id`, ({ params: { person = '', type = '', id = '' } }) =>
      withAccount(person, (account) => {
        account.versions[id] = (account.versions[id] ?? 0) + 1;
        sendChange(world, account, { type, id, operation: 'update', ...startOf(world, account, type, id) });
      }),
    ),
    route('GET', `${base}/ledger`, ({ query }) =>
      answerForUser(world, query.get('person'), (index) => {
        const account = accountOf(world, index);
        const from = query.get('from_ms');
        return account === null
          ? null
          : expectedRecords(world, account, from === null ? undefined : Number(from));
      }),
    ),
  ];
}
