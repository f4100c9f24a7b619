import type { ProviderName } from './faults.ts';
import type { Random } from './random.ts';
import type { Contents } from './store.ts';

/**
 * Nonsense of the kinds that a public webhook gets: nothing of it may be stored, and nothing that came well may
 * suffer from it. Some of it names real accounts.
 */
export function garbageFor(
  contents: Contents,
  provider: ProviderName,
  chance: Random,
  style: 'push' | 'ping',
): Contents {
  const account = contents.kind === 'data' ? contents.portions[0]?.account_id : undefined;
  const texts =
    provider === 'activitynet' ? eventTexts : style === 'ping' ? pingTexts(account) : pushTexts(account);
  const path = provider === 'activitynet' ? '/activitynet/webhook' : `/devicemaker/${style}`;
  return { kind: 'garbage', path, text: chance.pick(texts) };
}

type Texts = readonly [string, ...string[]];

const anywhere: Texts = [
  '{"dailies": [',
  '[]',
  '"dailies"',
  '{"dailies": {"userId": 1}}',
  '{"horoscopes": [{}]}',
];

function pushTexts(userId = 'nobody'): Texts {
  const startTimeInSeconds = 1_700_000_000;
  const bad = [
    null,
    17,
    'x',
    [],
    {},
    { userId: 42 },
    { userId },
    { userId, startTimeInSeconds: 'yesterday', durationInSeconds: 900 },
    { userId, startTimeInSeconds: -1, durationInSeconds: 900 },
    { userId, startTimeInSeconds: 4_100_000_000, durationInSeconds: 900 },
    { userId: 'somebody-else', startTimeInSeconds, durationInSeconds: 900, steps: 4 },
  ];
  const types = ['dailies', 'sleeps', 'activities', 'epochs', 'hrv', 'stressDetails', 'moveiq'];
  return [...anywhere, ...types.map((type): string => JSON.stringify({ [type]: bad }))];
}

function pingTexts(userId = 'nobody'): Texts {
  const urls = [
    'http://169.254.169.254/latest/meta-data/dailies',
    'http://127.0.0.1:1/devicemaker/rest/dailies?token=x',
    'file:///etc/passwd',
    'https://example.com/rest/dailies?token=x',
    'javascript:dailies',
    '',
  ];
  const notices = urls.map((callbackURL) => ({ userId, callbackURL }));
  return [...anywhere, JSON.stringify({ dailies: [null, {}, { userId }, ...notices] })];
}

const event = { object_type: 'activity', object_id: 1, aspect_type: 'create', event_time: 1_700_000_000 };
const eventTexts: Texts = [
  '{',
  'null',
  JSON.stringify(event),
  JSON.stringify({ ...event, owner_id: 1, subscription_id: 1, updates: {} }),
  JSON.stringify({ ...event, object_type: 'planet', owner_id: 'x', subscription_id: null }),
];
