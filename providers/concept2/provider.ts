import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { fieldsOf } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { minuteMs } from '../../domain/time/time.ts';
import { jsonEvents, limit, listed, pace, settingNames, withoutData } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { clockMs, collections, types } from './records.ts';

const settings = {
  WEBHOOK_SECRET_CONCEPT2: webhookSecrets.optional(),
  WEBHOOK_SENDERS_CONCEPT2: networks.default([]),
  // An application is tried at https://log-dev.concept2.com first: the live server needs an approval.
  CONCEPT2_API_URL: url.default('https://log.concept2.com'),
  CONCEPT2_AUTHORIZE_URL: url.default('https://log.concept2.com/oauth/authorize'),
  CONCEPT2_TOKEN_URL: url.default('https://log.concept2.com/oauth/access_token'),
  CONCEPT2_CLIENT_ID: z.string().optional(),
  CONCEPT2_CLIENT_SECRET: z.string().optional(),
  // The provider has no limit today, and removes the access of applications that send too much.
  CONCEPT2_REQUESTS_PER_MINUTE: whole(1, 1_000_000).default(120),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const scope = 'user:read,results:read';
const accountPath = '/api/users/me';
const Id = z.union([z.int(), z.string().min(1).max(100)]).transform(String);
const Me = z.object({ data: z.object({ id: Id }) });
const Result = z.object({ id: Id, user_id: Id, date: z.string().max(60) });
const Event = z.object({ data: z.object({ result: Result.optional(), result_id: Id.optional() }) });

/** What an event names. A deletion has the id of the result alone. The result of an event is not stored: it says what is read. */
function read(body: Buffer): Hint[] | null {
  const { data } = Event.safeParse(jsonOrNull(body.toString('utf8'))).data ?? {};
  if (data === undefined) return null;
  if (data.result_id !== undefined) return [{ kind: 'record', types: ['activities'], id: data.result_id }];
  if (data.result === undefined) return [];
  const { id, user_id: account, date } = data.result;
  const startMs = clockMs(date);
  const span = startMs === null ? null : { startMs, endMs: startMs + 1 };
  return [{ kind: 'changed', account, types: ['activities'], span, id }];
}

/** Concept2 Logbook, API v1. */
export const concept2 = {
  title: 'Concept2',
  colour: '#b4511f',
  ...listed,
  settings,
  names: settingNames('CONCEPT2'),
  normaliserVersion: 1,
  fields: fieldsOf(collections),
  apiHeaders: () => ({ accept: 'application/vnd.c2logbook.v1+json' }),
  projectClientRefusal: 'Its notifications are set up on the developer page of each client.',
  oauth: {
    authorizeUrl: ({ CONCEPT2_AUTHORIZE_URL }: Settings) => new URL(CONCEPT2_AUTHORIZE_URL),
    tokenUrl: ({ CONCEPT2_TOKEN_URL }: Settings) => new URL(CONCEPT2_TOKEN_URL),
    scope,
    usesPkce: false,
    // A token request without a scope is one for `results:write`.
    tokenFields: { scope },
    clientAuthentication: 'form',
    grant: {
      from: 'requests',
      accountPath,
      readAccount: (text) => Me.safeParse(jsonOrNull(text)).data?.data.id ?? null,
      scope: null,
    },
    isScopeEnough: (granted) => Object.values(types).some(({ isGranted }) => isGranted(granted)),
    // Only the user can end our access, in the settings of the logbook.
    revocation: null,
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: [],
    subscriptionSettings: [],
    // A body has a whole result, whose account is within `data`: one that mentions an account is erased whole.
    body: withoutData,
  },
  shares: ['activities', 'heart_rate'],
  cadenceHours: {},
  pull: {
    notifications: {
      ...jsonEvents,
      example: {
        data: { type: 'result-added', result: { id: 339, user_id: 1, date: '2026-03-02 13:15:41' } },
      },
      // A result may have its strokes.
      bodyLimitBytes: 4_194_304,
      authentication: { by: 'address' },
      read,
    },
    types,
    probe: { path: accountPath },
    failure: failureByStatus(),
    limits: [limit('application', ({ CONCEPT2_REQUESTS_PER_MINUTE: most }: Settings) => most, minuteMs)],
    pace,
    // The address is set on the developer page.
    subscription: null,
  },
} as const satisfies Provider;
