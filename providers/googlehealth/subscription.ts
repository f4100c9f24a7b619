import { createSign } from 'node:crypto';
import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type {
  ApplicationSubscription,
  PullReply,
  SubscriptionState,
} from '../../domain/provider/pulled-provider.ts';
import { dataTypes } from './data-types.ts';

/** A key of a service account, as the provider's console exports it. */
export const ServiceAccount = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});

interface Settings {
  readonly GOOGLEHEALTH_SERVICE_ACCOUNT?: z.output<typeof ServiceAccount>;
  readonly GOOGLEHEALTH_PROJECT_NUMBER?: string;
  readonly GOOGLEHEALTH_SUBSCRIBER_ID: string;
  readonly GOOGLEHEALTH_WEBHOOK_AUTHORIZATION?: string;
}

const cloudScope = 'https://www.googleapis.com/auth/cloud-platform';
const assertionSeconds = 600;

const subscribersOf = ({ GOOGLEHEALTH_PROJECT_NUMBER: project }: Settings) =>
  `/v4/projects/${project}/subscribers`;

const Subscriber = z.looseObject({ name: z.string(), state: z.string().optional() });
const Subscribers = z.object({ subscribers: z.array(Subscriber).default([]) });

/** The subscriber of the application: one for all users. It is created if it is missing, and checked every hour. */
export const subscriber: ApplicationSubscription = {
  of: 'application',
  everyMs: 3_600_000,
  proof({ GOOGLEHEALTH_SERVICE_ACCOUNT: account, GOOGLEHEALTH_PROJECT_NUMBER: project }: Settings, nowMs) {
    if (account === undefined || project === undefined) return null;
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    return { url: new URL(account.token_uri), form: { grant_type, assertion: assertionOf(account, nowMs) } };
  },
  check: (settings: Settings) => ({ path: subscribersOf(settings) }),
  read: (_, reply) => stateOf(reply),
  renewals(settings: Settings, reply, address) {
    const secret = settings.GOOGLEHEALTH_WEBHOOK_AUTHORIZATION;
    if (secret === undefined) return [];
    const state = stateOf(reply);
    const id = settings.GOOGLEHEALTH_SUBSCRIBER_ID;
    const body = {
      endpointUri: address,
      subscriberConfigs: [
        { dataTypes: [...Object.keys(dataTypes), 'run-vo2-max'], subscriptionCreatePolicy: 'AUTOMATIC' },
      ],
      endpointAuthorization: { secret },
    };
    if (state === 'missing')
      return [{ path: subscribersOf(settings), query: { subscriberId: id }, json: body }];
    return state === 'off'
      ? [{ path: `${subscribersOf(settings)}/${id}`, json: body, method: 'PATCH' as const }]
      : [];
  },
};

// A subscriber without a state is active: the field is not documented, and a failing endpoint may be switched off.
function stateOf({ status, text }: PullReply): SubscriptionState {
  if (status === 404) return 'missing';
  const read = Subscribers.safeParse(status === 200 ? jsonOrNull(text) : null);
  if (!read.success) return 'unknown';
  const [first] = read.data.subscribers;
  if (first === undefined) return 'missing';
  return first.state === undefined || /^(ACTIVE|ENABLED|VERIFIED)$/.test(first.state) ? 'active' : 'off';
}

function assertionOf(
  { client_email, private_key, token_uri }: z.output<typeof ServiceAccount>,
  nowMs: number,
): string {
  const iat = Math.floor(nowMs / 1000);
  const claims = { iss: client_email, scope: cloudScope, aud: token_uri, iat, exp: iat + assertionSeconds };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createSign('sha256').update(signed).sign(private_key, 'base64url')}`;
}
