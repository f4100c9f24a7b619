import { z } from 'zod';
import { isKept } from '../../../domain/provider/field-table.ts';
import type {
  BodySecretAuthentication,
  Notifications,
  SignatureAuthentication,
} from '../../../domain/provider/notifications.ts';
import type { Provider } from '../../../domain/provider/provider.ts';
import { isSummed } from '../../../domain/recipe/sample-blocks.ts';
import { isSeriesType, type SeriesType } from '../../../domain/records/series.ts';
import { type PulledName, providers, pullOf } from '../../../providers/all.ts';
import type { Post } from '../../../sandbox/server/delivery.ts';
import { until } from '../../support/until.ts';
import {
  type Playing,
  passQuarters,
  queueWork,
  underErrors,
  underExpiry,
  underFault,
  underLimit,
} from '../plays.ts';
import { control, type Product, settled } from '../product.ts';
import type { Account, Comparison, Descriptor, DoesNotApply, Forgery, PartialScopes } from '../scenarios.ts';
import { servedCounts, servedStarts } from '../served.ts';
import { listedTroubles } from './listed-troubles.ts';
import { pulledPlaying, sweep } from './pulled.ts';
import { accountAt, connectTo, postOf } from './simulated.ts';

/** The number of users in the table of the simulation; those after it have the same traits again. */
const people = 6;
/** The first one wears the device at night. */
const firstPerson = 1;
/** Hours that pass once the first person is connected, and more until there is a record to compare, whatever the time of day. */
const [firstHours, mostHours] = [13, 36];

/** Kinds of records from the rarest on: of what a provider has, one of the rarest is waited for. */
const rarest = ['sleeps', 'workouts', 'other'] as const;

/** What differs between providers that list records. */
export interface ListedCase {
  readonly provider: PulledName;
  /** A type of which a genuine notification can be made, and an id of it. */
  readonly notified: { readonly type: string; readonly id: string };
  readonly partialScopes: PartialScopes | DoesNotApply;
  /** Set where our access cannot be ended by a request. */
  readonly withoutRevocation?: DoesNotApply;
  readonly rotates: boolean;
  /** Whether a deletion is notified. Otherwise only a read of the span finds it. */
  readonly notifiesDeletions: boolean;
}

const Kind = z.object({
  type: z.string(),
  scope: z.string(),
  kind: z.enum(['workouts', 'sleeps', 'other']),
  records: z.int(),
  samples: z.record(z.string(), z.int()),
});
const Ledger = z.object({ kinds: z.array(Kind) });

/** Connects users of a provider that lists records, and compares what is served with its ledger. */
export function listedComparison(
  provider: PulledName,
  isReady: (product: Product) => Promise<void>,
  regionOf?: (person: number) => string,
): Pick<Descriptor, 'connect' | 'compare'> {
  const series = seriesOf(provider);

  async function ledgerOf(product: Product, { person, fromMs }: Account) {
    const path = `/${provider}/control/ledger?person=${person}&from_ms=${fromMs}`;
    return Ledger.parse(await control(product, 'GET', path)).kinds;
  }

  async function compare(product: Product, account: Account): Promise<Comparison> {
    const { userId, fromMs, without } = account;
    const kinds = await ledgerOf(product, account);
    const granted = kinds.filter(({ scope }) => !without.includes(scope));
    const samples: Record<string, number> = {};
    for (const one of granted)
      for (const [type, count] of Object.entries(one.samples)) samples[type] = (samples[type] ?? 0) + count;
    const records = (kind: string) =>
      granted.filter((one) => one.kind === kind).reduce((sum, one) => sum + one.records, 0);
    return {
      want: { samples: withoutZero(samples), sleeps: records('sleeps'), workouts: records('workouts') },
      have: {
        samples: withoutZero(await servedCounts(product, userId, fromMs, series)),
        sleeps: (await servedStarts(product, userId, fromMs, 'sleep')).length,
        workouts: (await servedStarts(product, userId, fromMs, 'workouts')).length,
      },
    };
  }

  return {
    compare,
    async connect(product, person, without) {
      const index = firstPerson + people * person;
      const account = await connectTo(product, provider, index, without, regionOf?.(index));
      if (person > 0) return account;
      await isReady(product);
      await passQuarters(product, 4 * firstHours);
      for (let hour = firstHours; hour < mostHours; hour++) {
        const kinds = await ledgerOf(product, account);
        const rare = rarest.find((one) => kinds.some(({ kind }) => kind === one));
        if (kinds.some(({ kind, records }) => kind === rare && records > 0)) return account;
        await passQuarters(product, 4);
      }
      throw new Error(`${provider} has no record to compare`);
    },
  };
}

/** The descriptor of a provider that lists records and signs notifications which name them. */
export function listedDescriptor(given: ListedCase): Descriptor {
  const { provider, partialScopes, rotates } = given;
  const authentication = authenticationOf(provider);
  // Nights and workouts are rare: the user records a workout, whose notification comes with the next quarter of an hour.
  const pulled = pulledPlaying(provider);
  const playing: Playing = {
    ...pulled,
    async newData(product, account) {
      await control(product, 'POST', `/${provider}/control/people/${account.person}/workouts`);
      await pulled.newData(product, account);
    },
  };

  async function genuine(product: Product, account: Account) {
    const { id } = z.object({ id: z.string() }).parse(accountAt(product, provider, account).shown);
    const ms = product.sandbox.world.clock.nowMs();
    const change = { ...given.notified, operation: 'update', account: id, ms };
    return postOf(product, provider, { kind: 'change', ...{ provider, ...change } });
  }

  async function forgeries(product: Product, account: Account): Promise<Forgery[]> {
    const post = await genuine(product, account);
    const { url, headers, body } = post;
    const wrong = new URL(url.href.replace(/[^/]+$/, 'x'.repeat(40)));
    const moved: Forgery = {
      title: 'a wrong secret in the address',
      post: { url: wrong, headers, body },
      status: 404,
    };
    if (authentication.by === 'address') return [moved, withAnotherAddress(post)];
    if (authentication.by === 'body-secret') return [moved, ...withAnotherSecret(post, authentication)];
    const { header, encoding } = authentication;
    const { [header]: text = '', ...unsigned } = headers;
    const signature = Buffer.from(text, encoding);
    const refused = (title: string, bytes: Buffer, of = body): Forgery => {
      const post = { url, body: of, headers: { ...unsigned, [header]: bytes.toString(encoding) } };
      return { title, post, status: 401 };
    };
    const other = Buffer.from(signature);
    other[0] = (other[0] ?? 0) ^ 1;
    return [
      moved,
      { title: 'no signature', post: { url, headers: unsigned, body }, status: 401 },
      refused('another signature', other),
      refused('a truncated signature', signature.subarray(0, signature.length - 3)),
      refused('a signature of another body', signature, `${body} `),
    ];
  }

  return {
    ...listedComparison(provider, (product) => subscribed(product, provider)),
    newData: playing.newData,
    genuine,
    scenarios: {
      forged: forgeries,
      duplicate: underFault(playing, { kind: 'duplicate' }),
      lost: underFault(playing, { kind: 'dropped', repair: sweep }),
      outOfOrder: underFault(playing, { kind: 'disorder', spreadSeconds: 900 }),
      late: underFault(playing, { kind: 'disorder', spreadSeconds: 7200 }),
      rotatedTokens: rotates
        ? underExpiry(playing, 2)
        : { doesNotApply: 'its tokens last until they are revoked, and there are no others' },
      expiredTokens: rotates
        ? underExpiry(playing, 1)
        : { doesNotApply: 'its tokens last until they are revoked' },
      rateLimit: underLimit(playing, 8),
      serverErrors: underErrors(playing),
      partialScopes,
      endedAtProvider: {
        status: 'expired',
        async end(product, { userId, person }) {
          await control(product, 'POST', `/${provider}/control/people/${person}/access`);
          // There is no notification of it: the next read shows it.
          const path = `/users/${userId}/connections/${provider}/backfill`;
          await product.api.expect(202, path, { method: 'POST', body: { days: 1 } });
          await settled(product);
        },
      },
      endedInProduct: given.withoutRevocation ?? {
        isEnded: (product, account) => !accountAt(product, provider, account).shown.connected,
      },
      erasure: { queue: queueWork(playing) },
    },
    more: listedTroubles(playing, genuine, given.notifiesDeletions),
  };
}

function authenticationOf(
  provider: PulledName,
): Exclude<Notifications['authentication'], SignatureAuthentication> {
  const authentication = pullOf(provider).notifications?.authentication;
  if (authentication === undefined || authentication.by === 'signature')
    throw new Error(`${provider} has no proof that can be forged`);
  return authentication;
}

/** A notification that its address alone authenticates, with a part of the secret. */
const withAnotherAddress = ({ url, headers, body }: Post): Forgery => ({
  title: 'a truncated secret in the address',
  post: { url: new URL(url.href.slice(0, -3)), headers, body },
  status: 404,
});

/** Notifications that differ in the secret that their body contains. */
function withAnotherSecret({ url, headers, body }: Post, { member }: BodySecretAuthentication): Forgery[] {
  const fields = z.looseObject({ [member]: z.string() }).parse(JSON.parse(body));
  const { [member]: secret, ...others } = fields;
  const refused = (title: string, of: unknown): Forgery => ({
    title,
    post: { url, headers, body: JSON.stringify(of) },
    status: 401,
  });
  return [
    refused('no secret', others),
    refused('another secret', { ...others, [member]: 'x'.repeat(40) }),
    refused('a truncated secret', { ...others, [member]: String(secret).slice(0, -3) }),
    refused('the secret in a list', { ...others, [member]: [secret] }),
    refused('the secret in another member', { ...others, other: secret }),
  ];
}

/** The series in the tables of a provider. Sums are intervals, which are not counted as samples. */
function seriesOf(provider: PulledName): SeriesType[] {
  const { fields }: Provider = providers[provider];
  const named = Object.values(fields)
    .flatMap((table) => Object.values(table))
    .flatMap((field) => (isKept(field) ? field.ends : []))
    .map((end) => end.replace(/^series\./, ''))
    .filter(isSeriesType);
  return [...new Set(named)].filter((type) => !isSummed(type));
}

/** Where the product makes its subscriptions itself, the provider notifies of nothing before that. */
async function subscribed({ api }: Product, provider: PulledName): Promise<void> {
  if (pullOf(provider).subscription?.of !== 'application') return;
  const active = `select from pull.subscription where provider = $1 and state = 'active'`;
  // On a busy machine the provider may give up a check of our address: the next look, in five minutes, repeats it.
  const look = "update jobs.job set run_at = now() where kind = 'pull-ingest.subscriptions' and not leased";
  await until(async () => {
    const isActive = (await api.database.query(active, [provider])).length > 0;
    if (!isActive) await api.database.query(look);
    return isActive;
  });
}

function withoutZero(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
