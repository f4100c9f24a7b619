import type { PulledName } from '../../../providers/all.ts';
import { type Playing, passQuarters, queueWork, underErrors, underExpiry, underLimit } from '../plays.ts';
import { control, type Product, settled } from '../product.ts';
import type { Account, Descriptor, DoesNotApply, PartialScopes } from '../scenarios.ts';
import { listedComparison } from './listed.ts';
import { listedTroubles } from './listed-troubles.ts';
import { demand, pulledPlaying, sweep, untilFound } from './pulled.ts';
import { accountAt } from './simulated.ts';

/** What differs between providers that are read by cadence alone. */
export interface PolledCase {
  readonly provider: PulledName;
  readonly partialScopes: PartialScopes | DoesNotApply;
  /** Set where our access cannot be ended by a request. */
  readonly withoutRevocation?: DoesNotApply;
  /** The type and the id of a record that the user deletes at the provider. */
  readonly deleted: (product: Product, account: Account) => Promise<{ type: string; id: string }>;
}

const notNotified: DoesNotApply = { doesNotApply: 'it has no notifications' };
/** So many quarters of an hour pass without a read. */
const missedQuarters = 32;
const reads = 4;

/** The descriptor of a provider without notifications: its data is read again and again. */
export function polledDescriptor({
  provider,
  partialScopes,
  withoutRevocation,
  deleted,
}: PolledCase): Descriptor {
  const pulled = pulledPlaying(provider);
  const playing: Playing = {
    ...pulled,
    async newData(product, account) {
      await pulled.newData(product, account);
      await demand(product);
    },
  };
  const stranger = ({ api }: Product, kind: string) => ({
    url: new URL(`${api.url}/api/v1/webhooks/${provider}/${kind}/${'x'.repeat(40)}`),
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  const genuine: Descriptor['genuine'] = (product) => stranger(product, 'events');
  const { interrupted } = listedTroubles(playing, genuine, false);
  const comparison = listedComparison(provider, async () => undefined);
  return {
    ...comparison,
    genuine,
    newData: playing.newData,
    async connect(product, person, without) {
      const account = await comparison.connect(product, person, without);
      await untilFound(product, account.userId);
      await sweep(product);
      return account;
    },
    scenarios: {
      forged: (product) =>
        ['events', 'notify', ''].map((kind) => ({
          title: `a notification at /${kind}`,
          post: stranger(product, kind),
          status: 404,
        })),
      duplicate: notNotified,
      outOfOrder: notNotified,
      late: notNotified,
      lost: {
        async play(product) {
          await passQuarters(product, missedQuarters);
          await sweep(product);
          return missedQuarters;
        },
      },
      rotatedTokens: underExpiry(playing, 2),
      expiredTokens: underExpiry(playing, 1),
      rateLimit: underLimit(playing, 8),
      serverErrors: underErrors(playing),
      partialScopes,
      endedAtProvider: {
        status: 'expired',
        async end(product, { person }) {
          await control(product, 'POST', `/${provider}/control/people/${person}/access`);
          await demand(product);
          await settled(product);
        },
      },
      endedInProduct: withoutRevocation ?? {
        isEnded: (product, account) => !accountAt(product, provider, account).shown.connected,
      },
      erasure: { queue: queueWork(playing) },
    },
    more: {
      ...(interrupted === undefined ? {} : { interrupted }),
      // The same days are demanded several times while they are read.
      parallel: {
        async play(product, { userId }) {
          await pulled.newData(product, { userId, person: 0, fromMs: 0, without: [] });
          const path = `/users/${userId}/connections/${provider}/backfill`;
          for (let read = 0; read < reads; read++) await demand(product);
          await product.api.expect(202, path, { method: 'POST', body: { days: 3 } });
          await demand(product);
          await settled(product);
          return reads;
        },
      },
      deleted: {
        async play(product, account) {
          await playing.newData(product, account);
          await settled(product);
          const { type, id } = await deleted(product, account);
          const path = `/${provider}/control/people/${account.person}/${type}/${encodeURIComponent(id)}`;
          await control(product, 'DELETE', path);
          await sweep(product);
          return 1;
        },
      },
    },
  };
}
