import { createSign } from 'node:crypto';
import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type {
  ApplicationSubscription,
  PullReply,
  SubscriptionState,
} from '../../domain/provider/pulled-provider.ts';
import { hourMs } from '../../domain/time/time.ts';
import { notifiedTypes } from './data-types.ts';

/** A key of a service account, as the provider's console exports it. */
export const ServiceAccount = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});

type ServiceAccount = z.output<typeof ServiceAccount>;

interface Settings {
  readonly GOOGLEHEALTH_SERVICE_ACCOUNT?: ServiceAccount;
  readonly GOOGLEHEALTH_PROJECT_NUMBER?: string;
  readonly GOOGLEHEALTH_SUBSCRIBER_ID: string;
  readonly GOOGLEHEALTH_WEBHOOK_AUTHORIZATION?: string;
}

const pathOf = ({ GOOGLEHEALTH_PROJECT_NUMBER: project }: Settings) => `/v4/projects/${project}/subscribers`;

const Subscriber = z.looseObject({ name: z.string(), state: z.string().optional() });
const Subscribers = z.object({ subscribers: z.array(Subscriber).default([]) });

/** The subscriber of the application: one for all users. It is created if it is missing, and checked every hour. */
export const subscriber: ApplicationSubscription = {
  of: 'application',
  everyMs: hourMs,
  proof({ GOOGLEHEALTH_SERVICE_ACCOUNT: account, GOOGLEHEALTH_PROJECT_NUMBER: project }: Settings, nowMs) {
    if (account === undefined || project === undefined) return null;
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    return { url: new URL(account.token_uri), form: { grant_type, assertion: assertionOf(account, nowMs) } };
  },
  check: (settings: Settings) => ({ path: pathOf(settings) }),
  read: (_, reply) => stateOf(reply),
  renewals(settings: Settings, reply, address) {
    const { GOOGLEHEALTH_WEBHOOK_AUTHORIZATION: secret, GOOGLEHEALTH_SUBSCRIBER_ID: id } = settings;
    const [path, state] = [pathOf(settings), stateOf(reply)];
    if (secret === undefined) return [];
    const json = {
      endpointUri: address,
      subscriberConfigs: [{ dataTypes: notifiedTypes, subscriptionCreatePolicy: 'AUTOMATIC' }],
      endpointAuthorization: { secret },
    };
    if (state === 'missing') return [{ path, query: { subscriberId: id }, json }];
    return state === 'off' ? [{ path: `${path}/${id}`, json, method: 'PATCH' }] : [];
  },
};

// A subscriber without a state is active: the field is not documented, and a failing endpoint may be switched off.
function stateOf({ status, text }: PullReply): SubscriptionState {
  if (status === 404) return 'missing';
  const listed = Subscribers.safeParse(status === 200 ? jsonOrNull(text) : null).data?.subscribers;
  if (listed === undefined) return 'unknown';
  const [first] = listed;
  if (first === undefined) return 'missing';
  return /^(ACTIVE|ENABLED|VERIFIED)$/.test(first.state ?? 'ACTIVE') ? 'active' : 'off';
}

function assertionOf(
  { client_email: iss, private_key, token_uri: aud }: ServiceAccount,
  nowMs: number,
): string {
  const iat = Math.floor(nowMs / 1000);
  const scope = 'https://www.googleapis.com/auth/cloud-platform';
  const parts = [
    { alg: 'RS256', typ: 'JWT' },
    { iss, scope, aud, iat, exp: iat + 600 },
  ];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${createSign('sha256').update(signed).sign(private_key, 'base64url')}`;
}
