import type { Random } from '../simulation/random.ts';
import type { Message } from './state.ts';

type Texts = readonly [string, ...string[]];

/** An invalid notification. Some of them name a real account. */
export function invalidNotification(message: Message, chance: Random, style: 'push' | 'ping'): Message {
  const account = message.kind === 'data' ? message.portions[0]?.account_id : undefined;
  const texts = style === 'ping' ? pingTexts(account) : pushTexts(account);
  return { kind: 'garbage', path: `/devicemaker/${style}`, text: chance.pick(texts) };
}

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
  const items = urls.map((callbackURL) => ({ userId, callbackURL }));
  return [...anywhere, JSON.stringify({ dailies: [null, {}, { userId }, ...items] })];
}
