import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type {
  ApplicationSubscription,
  PullReply,
  PullRequest,
} from '../../domain/provider/pulled-provider.ts';
import { dayMs, hourMs } from '../../domain/time/time.ts';
import { collections } from './collections.ts';

interface Settings {
  readonly OURA_CLIENT_ID?: string | undefined;
  readonly OURA_CLIENT_SECRET?: string | undefined;
  readonly OURA_VERIFICATION_TOKEN?: string | undefined;
}

const path = '/v2/webhook/subscription';
const renewBeforeMs = 7 * dayMs;

const Subscription = z.object({
  id: z.string(),
  callback_url: z.string(),
  event_type: z.string(),
  data_type: z.string(),
  // Assumed: it is in UTC, with or without an offset.
  expiration_time: z.string().transform((text) => Date.parse(`${text.slice(0, 19)}Z`)),
});
type Subscription = z.output<typeof Subscription>;

const eventTypes = ['create', 'update', 'delete'] as const;
const wanted = Object.keys(collections)
  .filter((name) => name !== 'heartrate')
  .flatMap((data_type) => eventTypes.map((event_type) => ({ data_type, event_type })));

interface Found {
  readonly want: (typeof wanted)[number];
  readonly own: Subscription | undefined;
}

/** The wanted subscriptions with those that the provider has. Null: the answer cannot be read. */
function foundIn({ status, text }: PullReply): Found[] | null {
  const listed = z.array(Subscription).safeParse(status === 200 ? jsonOrNull(text) : null).data;
  if (listed === undefined) return null;
  return wanted.map((want) => ({
    want,
    own: listed.find((one) => one.event_type === want.event_type && one.data_type === want.data_type),
  }));
}

const endsSoon = ({ expiration_time: end }: Subscription, nowMs: number) => !(end - nowMs > renewBeforeMs);

/**
 * The subscriptions of the application, one for each type of data and of event. They end by themselves, and are renewed a week
 * before. One with another address is changed: there is at most one of each type.
 */
export const subscriptions: ApplicationSubscription = {
  of: 'application',
  everyMs: 6 * hourMs,
  proof({ OURA_CLIENT_ID: id, OURA_CLIENT_SECRET: secret, OURA_VERIFICATION_TOKEN: token }: Settings) {
    if (id === undefined || secret === undefined || token === undefined) return null;
    return { headers: { 'x-client-id': id, 'x-client-secret': secret } };
  },
  check: () => ({ path }),
  read(_, reply, address, nowMs) {
    const found = foundIn(reply);
    if (found === null) return 'unknown';
    return found.every(({ own }) => own?.callback_url === address && !endsSoon(own, nowMs))
      ? 'active'
      : 'missing';
  },
  renewals: ({ OURA_VERIFICATION_TOKEN: verification_token }: Settings, reply, address, nowMs) =>
    (foundIn(reply) ?? []).flatMap(({ want, own }): PullRequest[] => {
      const json = { callback_url: address, verification_token, ...want };
      if (own === undefined) return [{ path, json }];
      return [
        ...(own.callback_url === address
          ? []
          : [{ path: `${path}/${own.id}`, json, method: 'PUT' as const }]),
        ...(endsSoon(own, nowMs) ? [{ path: `${path}/renew/${own.id}`, method: 'PUT' as const }] : []),
      ];
    }),
};
