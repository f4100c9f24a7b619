import { createPublicKey, createSign, verify as verifyBytes } from 'node:crypto';
import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Hint, PublicKey } from '../../domain/provider/notifications.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import type {
  ApplicationSubscription,
  PullReply,
  SubscriptionState,
} from '../../domain/provider/pulled-provider.ts';
import { hourMs, minuteMs, parseInstant } from '../../domain/time/time.ts';
import { jsonEvents, limit, listed, pace, settingNames, withoutData } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { dataScopes, dataTypes, failureOf, fields, notifiedTypes, scopeOf, typeOf } from './data-types.ts';

const Time = z.string().max(40);

const Notification = z.object({
  data: z.object({
    healthUserId: z.union([z.string().min(1).max(255), z.int().transform(String)]),
    operation: z.string().max(40).optional(),
    dataType: z.string().min(1).max(100),
    intervals: z
      .array(
        z.object({
          physicalTimeInterval: z
            .object({ startTime: Time, endTime: Time })
            .catch({ startTime: '', endTime: '' }),
        }),
      )
      .max(1000)
      .catch([]),
  }),
});

const Verification = z.object({ type: z.literal('verification') });

const jsonOf = (body: Buffer): unknown => jsonOrNull(body.toString('utf8'));

/** Whether a body is the provider's check of the address. */
export const isVerification = (body: Buffer): boolean => Verification.safeParse(jsonOf(body)).success;

/**
 * The hints of a body: one object, or an array of up to 99. Deletions name an interval too, and the read of it shows that the
 * data is gone. Null: the body is neither.
 */
export function readHints(body: Buffer): Hint[] | null {
  const read = [jsonOf(body)].flat().flatMap((one) => Notification.safeParse(one).data ?? []);
  return read.length === 0 ? null : read.flatMap(({ data }) => hintsOf(data));
}

function hintsOf({ healthUserId: account, dataType, intervals }: z.output<typeof Notification>['data']) {
  return intervals.flatMap(({ physicalTimeInterval: { startTime, endTime } }): Hint[] => {
    const [start, end] = [parseInstant(startTime), parseInstant(endTime)];
    if (start === null || end === null || end.ms < start.ms) return [];
    // An instant is an interval of a millisecond.
    const span = { startMs: start.ms, endMs: Math.max(end.ms, start.ms + 1) };
    return [{ kind: 'changed', account, types: [typeOf(dataType)], span }];
  });
}

/** A signature is base64 of 0x01, the key's id (32 bits, big-endian), and a DER signature (ECDSA P-256, SHA-256). */
const version = 1;
const headerBytes = 5;
const longestSignature = 200;

function bytesOf(signature: string): Buffer | null {
  if (signature.length > longestSignature || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(signature)) return null;
  const bytes = Buffer.from(signature, 'base64');
  return bytes.length > headerBytes && bytes[0] === version ? bytes : null;
}

/** The id of the key of a signature. Null: it is malformed. */
export function keyId(signature: string): string | null {
  return bytesOf(signature)?.readUInt32BE(1).toString() ?? null;
}

/** Whether a signature over the body is that of the key. */
export function verify(signature: string, body: Buffer, key: PublicKey): boolean {
  const bytes = bytesOf(signature);
  if (bytes === null) return false;
  try {
    const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
    return verifyBytes('sha256', body, { key: publicKey, dsaEncoding: 'der' }, bytes.subarray(headerBytes));
  } catch {
    return false;
  }
}

const KeyData = z.object({ typeUrl: z.string(), value: z.string().max(1000) });
const Key = z.object({ keyId: z.int().nonnegative(), status: z.string(), keyData: KeyData });
const PublishedKeyset = z.object({ key: z.array(Key).min(1).max(100) });

/** The enabled keys of a published Tink keyset, by id. Null: it cannot be read. */
export function readKeyset(text: string): ReadonlyMap<string, PublicKey> | null {
  const keys = new Map<string, PublicKey>();
  for (const { keyId: id, status, keyData } of PublishedKeyset.safeParse(jsonOrNull(text)).data?.key ?? []) {
    if (status !== 'ENABLED' || !keyData.typeUrl.endsWith('EcdsaPublicKey')) continue;
    const fields = fieldsOf(Buffer.from(keyData.value, 'base64'));
    const [x, y] = [coordinate(fields?.get(fieldX)), coordinate(fields?.get(fieldY))];
    if (x !== null && y !== null) keys.set(String(id), { kty: 'EC', crv: 'P-256', x, y });
  }
  return keys.size === 0 ? null : keys;
}

// EcdsaPublicKey in protobuf: version (1), params (2), x (3), y (4). A number may have leading zero bytes.
const fieldX = 3;
const fieldY = 4;
const coordinateBytes = 32;

function coordinate(bytes: Buffer | undefined): string | null {
  const digits = bytes?.toString('hex').replace(/^(00)+/, '');
  return digits === undefined || digits.length > 2 * coordinateBytes
    ? null
    : Buffer.from(digits.padStart(2 * coordinateBytes, '0'), 'hex').toString('base64url');
}

const lengthDelimited = 2;

function fieldsOf(bytes: Buffer): ReadonlyMap<number, Buffer> | null {
  const fields = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const tag = varint(bytes, at);
    const value = tag === null ? null : varint(bytes, tag.end);
    if (tag === null || value === null) return null;
    at = value.end;
    if (tag.value % 8 !== lengthDelimited) continue;
    at = value.end + value.value;
    if (at > bytes.length) return null;
    fields.set(Math.floor(tag.value / 8), bytes.subarray(value.end, at));
  }
  return fields;
}

const longestVarint = 5;

// Seven bits a byte, the lowest first. The last byte is below 128.
function varint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | null {
  const length = bytes.subarray(from, from + longestVarint).findIndex((byte) => byte < 128) + 1;
  const own = bytes.subarray(from, from + length);
  const value = own.reduceRight((high, byte) => high * 128 + (byte % 128), 0);
  return length === 0 ? null : { value, end: from + length };
}

/** A key of a service account, as the provider's console exports it. */
const ServiceAccount = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});

type ServiceAccount = z.output<typeof ServiceAccount>;

const pathOf = ({ GOOGLEHEALTH_PROJECT_NUMBER: project }: Settings) => `/v4/projects/${project}/subscribers`;

const Subscriber = z.looseObject({ name: z.string(), state: z.string().optional() });
const Subscribers = z.object({ subscribers: z.array(Subscriber).default([]) });

/** The subscriber of the application: one for all users. It is created if it is missing, and checked every hour. */
const subscriber: ApplicationSubscription = {
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

const settings = {
  WEBHOOK_SECRET_GOOGLEHEALTH: webhookSecrets.optional(),
  WEBHOOK_SENDERS_GOOGLEHEALTH: networks.default([]),
  GOOGLEHEALTH_API_URL: url.default('https://health.googleapis.com'),
  GOOGLEHEALTH_AUTHORIZE_URL: url.default('https://accounts.google.com/o/oauth2/v2/auth'),
  GOOGLEHEALTH_TOKEN_URL: url.default('https://oauth2.googleapis.com/token'),
  GOOGLEHEALTH_REVOKE_URL: url.default('https://oauth2.googleapis.com/revoke'),
  GOOGLEHEALTH_KEYSET_URL: url
    .default('https://www.gstatic.com/googlehealthapi/webhooks/webhooks_public_keyset.json')
    .describe('the public keys of its notifications'),
  GOOGLEHEALTH_CLIENT_ID: z.string().optional(),
  GOOGLEHEALTH_CLIENT_SECRET: z.string().optional(),
  GOOGLEHEALTH_WEBHOOK_AUTHORIZATION: z
    .string()
    .min(16)
    .max(1000)
    .optional()
    .describe('the whole value of the Authorization header that the provider sends with notifications'),
  GOOGLEHEALTH_PROJECT_NUMBER: z
    .string()
    .regex(/^\d{1,20}$/, 'must be a number')
    .optional()
    .describe('with the service account and PUBLIC_URL the subscriber is created and checked'),
  GOOGLEHEALTH_SUBSCRIBER_ID: z
    .string()
    .regex(/^[a-z][a-z0-9-]{3,35}$/, 'must be 4 to 36 letters, digits or -')
    .default('pulsebus')
    .describe('the id of the subscriber'),
  GOOGLEHEALTH_SERVICE_ACCOUNT: z
    .string()
    .transform((text) => ServiceAccount.safeParse(jsonOrNull(text)).data)
    .refine((account) => account !== undefined, 'must be the JSON key of a service account')
    .optional()
    .describe('the JSON key of a service account of the project'),
  GOOGLEHEALTH_REQUESTS_PER_MINUTE: whole(1, 1_000_000).default(300).describe('requests of a user'),
  GOOGLEHEALTH_PROJECT_REQUESTS_PER_MINUTE: whole(1, 100_000_000)
    .default(120_000)
    .describe('requests of all users'),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const identityPath = '/v4/users/me/identity';
const Identity = z.object({ healthUserId: z.union([z.string().min(1).max(255), z.int().transform(String)]) });

const anyData: readonly string[] = Object.values(dataScopes);

/** The health data platform: the Google Health API v4. */
export const googlehealth = {
  title: 'Google Health',
  colour: '#18863d',
  ...listed,
  settings,
  names: settingNames('GOOGLEHEALTH'),
  normaliserVersion: 7,
  fields,
  projectClientRefusal:
    'Notifications come by a subscriber of the Google Cloud project of the OAuth client, and an installation has one.',
  oauth: {
    authorizeUrl: ({ GOOGLEHEALTH_AUTHORIZE_URL }: Settings) => new URL(GOOGLEHEALTH_AUTHORIZE_URL),
    tokenUrl: ({ GOOGLEHEALTH_TOKEN_URL }: Settings) => new URL(GOOGLEHEALTH_TOKEN_URL),
    scope: [...anyData, scopeOf('profile'), scopeOf('settings')].join(' '),
    // Without these there is no refresh token.
    authorizeFields: { access_type: 'offline', prompt: 'consent' },
    usesPkce: true,
    clientAuthentication: 'form',
    grant: {
      from: 'requests',
      accountPath: identityPath,
      scope: null,
      readAccount: (text) => Identity.safeParse(jsonOrNull(text)).data?.healthUserId ?? null,
    },
    isScopeEnough: (scope) => scope.some((one) => anyData.includes(one)),
    revocation: {
      url: ({ GOOGLEHEALTH_REVOKE_URL }: Settings) => new URL(GOOGLEHEALTH_REVOKE_URL),
      method: 'POST',
      sendsTokenInForm: true,
      tokenField: 'token',
    },
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: ['google-health-api-signature', 'x-healthapi-signature'],
    subscriptionSettings: ['GOOGLEHEALTH_WEBHOOK_AUTHORIZATION'],
    body: withoutData,
  },
  shares: ['activities', 'daily_activity', 'heart_rate', 'oxygen_saturation', 'sleep', 'body', 'profile'],
  cadenceHours: { daily_activity: 36, heart_rate: 36, sleep: 48 },
  pull: {
    notifications: {
      ...jsonEvents,
      kind: 'notifications',
      bodyLimitBytes: 1024 * 1024,
      acceptedStatus: 204,
      example: {
        data: {
          version: '1',
          healthUserId: 'health-1001',
          operation: 'UPSERT',
          dataType: 'steps',
          intervals: [
            { physicalTimeInterval: { startTime: '2026-01-01T06:00:00Z', endTime: '2026-01-01T07:00:00Z' } },
          ],
        },
      },
      authentication: {
        by: 'signature',
        headers: ['google-health-api-signature', 'x-healthapi-signature'],
        keyset: {
          url: ({ GOOGLEHEALTH_KEYSET_URL }: Settings) => new URL(GOOGLEHEALTH_KEYSET_URL),
          read: readKeyset,
          freshMs: 6 * hourMs,
          floorMs: minuteMs,
        },
        keyId,
        verify,
      },
      isHandshake: isVerification,
      authorization: ({ GOOGLEHEALTH_WEBHOOK_AUTHORIZATION: value }: Settings) => value,
      read: readHints,
    },
    types: dataTypes,
    probe: { path: identityPath },
    failure: failureOf,
    limits: [
      limit('account', ({ GOOGLEHEALTH_REQUESTS_PER_MINUTE: most }: Settings) => most, minuteMs),
      limit('application', ({ GOOGLEHEALTH_PROJECT_REQUESTS_PER_MINUTE: most }: Settings) => most, minuteMs),
    ],
    pace,
    subscription: subscriber,
  },
} as const satisfies Provider;
