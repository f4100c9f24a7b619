import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type {
  ApplicationSubscription,
  PullReply,
  PullRequest,
  SubscriptionState,
} from '../../domain/provider/pulled-provider.ts';
import { hourMs } from '../../domain/time/time.ts';

type Settings = Readonly<Partial<Record<'POLAR_CLIENT_ID' | 'POLAR_CLIENT_SECRET', string | undefined>>>;

const path = '/v3/webhooks';
const events: readonly string[] = ['EXERCISE', 'SLEEP', 'CONTINUOUS_HEART_RATE', 'ACTIVITY_SUMMARY'];

/** The webhook of the application in a list of at most one. `active` is assumed to be false once it is deactivated. */
const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean().nullish(),
});
const Listed = z.object({ data: z.array(Webhook) });
const Created = z.object({ data: z.object({ signature_secret_key: z.string().min(1) }) });

function listed({ status, text }: PullReply): readonly z.output<typeof Webhook>[] | null {
  if (status === 204 || status === 404) return [];
  return status === 200 ? (Listed.safeParse(jsonOrNull(text)).data?.data ?? null) : null;
}

function read(_: Settings, reply: PullReply, address: string): SubscriptionState {
  const all = listed(reply);
  if (all === null) return 'unknown';
  const [webhook] = all;
  if (webhook === undefined || !isComplete(webhook, address)) return 'missing';
  return webhook.active === false ? 'off' : 'active';
}

const isComplete = (webhook: z.output<typeof Webhook>, address: string): boolean =>
  webhook.url === address && events.every((event) => webhook.events.includes(event));

function renewals(_: Settings, reply: PullReply, address: string): PullRequest[] {
  const all = listed(reply);
  if (all === null) return [];
  const [webhook] = all;
  const json = { events, url: address };
  if (webhook === undefined) return [{ path, json }];
  const changed = isComplete(webhook, address) ? [] : [changing(webhook.id, { method: 'PATCH', json })];
  const off = webhook.active === false ? [{ path: `${path}/activate`, method: 'POST' } as const] : [];
  return [...changed, ...off];
}

const changing = (id: string, how: Pick<PullRequest, 'method' | 'json'>): PullRequest => ({
  path: `${path}/${encodeURIComponent(id)}`,
  ...how,
});

/** The webhook of the application. The provider deactivates it after seven days of failures. */
export const subscription = {
  of: 'application',
  everyMs: hourMs,
  proof({ POLAR_CLIENT_ID: id, POLAR_CLIENT_SECRET: secret }: Settings) {
    return id === undefined || secret === undefined ? null : { client: { id, secret } };
  },
  check: () => ({ path }),
  read,
  renewals,
  // It is shown once, when the webhook is made.
  secretOf: ({ text }) => Created.safeParse(jsonOrNull(text)).data?.data.signature_secret_key ?? null,
  endings: (reply) => (listed(reply) ?? []).map(({ id }) => changing(id, { method: 'DELETE' })),
} as const satisfies ApplicationSubscription;
