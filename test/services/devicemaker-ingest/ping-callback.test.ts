import { randomUUID } from 'node:crypto';
import t from 'tap';
import { loadConfig } from '../../../config.ts';
import { PingAnswer } from '../../../contracts/devicemaker-ingest/answers.ts';
import { inboxOn } from '../../../mixins/inbox/inbox.ts';
import { type DataType, dataTypeOf } from '../../../providers/devicemaker/data-types.ts';
import { devicemakerIngestWith } from '../../../services/devicemaker-ingest/devicemaker-ingest.service.ts';
import { callbackRules, checkCallback } from '../../../services/devicemaker-ingest/rules/callback.ts';
import { pingLimits } from '../../../services/devicemaker-ingest/work/ping/work-ping.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { json, startCallbackServer, startSilentListener } from '../../support/callback-server.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

function typeOf(key: string): DataType {
  const type = dataTypeOf(key);
  if (type === undefined) throw new Error(`there is no type ${key}`);
  return type;
}

const dailies = typeOf('dailies');
const rules = callbackRules(loadConfig({}));
const api = 'https://apis.garmin.com/wellness-api/rest';
const query = 'uploadStartTimeInSeconds=1748900000&uploadEndTimeInSeconds=1748986400&token=XX2y-_.~%3D';

const reasonOf = (text: unknown, type = dailies, by = rules) => {
  const checked = checkCallback(text, type, by);
  return checked.ok ? 'fetched' : checked.reason;
};

t.test('the rules follow from the settings', async (t) => {
  t.same(rules, { origins: ['https://apis.garmin.com'], pathPrefix: '/wellness-api/rest' });
  const set = loadConfig({
    DEVICEMAKER_API_URL: 'http://127.0.0.1:4000/',
    DEVICEMAKER_CALLBACK_ORIGINS: 'https://a.example,http://127.0.0.1:5000',
  });
  t.same(callbackRules(set), { origins: ['https://a.example', 'http://127.0.0.1:5000'], pathPrefix: '' });
});

t.test('accepts the provider’s callbacks under every name of a type', async (t) => {
  t.equal(reasonOf(`${api}/dailies?${query}`), 'fetched');
  t.equal(reasonOf(`${api}/dailies`), 'fetched');
  t.equal(reasonOf(`${api}/backfill/dailies?token=1`), 'fetched');
  for (const [key, name] of [
    ['allDayRespiration', 'respiration'],
    ['respiration', 'allDayRespiration'],
    ['pulseox', 'pulseOx'],
    ['moveIQActivities', 'moveiq'],
    ['manuallyUpdatedActivities', 'manuallyUpdatedActivities'],
  ] as const)
    t.equal(reasonOf(`${api}/${name}?${query}`, typeOf(key)), 'fetched', key);
});

const path = `/wellness-api/rest/dailies?${query}`;
const elsewhere = "must lead to the provider's API";
const notPlain = 'must be written in its plain form';
const refused: readonly (readonly [unknown, string])[] = [
  [undefined, 'must be a text'],
  [7, 'must be a text'],
  ['', 'must be a text'],
  ['no url', 'must be a URL'],
  [`//apis.garmin.com${path}`, 'must be a URL'],
  [`${api}/dailies?token=${'x'.repeat(4096)}`, 'must be at most 4096 characters'],
  [`https://apis.garmin.com.evil.example${path}`, elsewhere],
  [`https://evilapis.garmin.com${path}`, elsewhere],
  [`https://evil-apis.garmin.com${path}`, elsewhere],
  [`https://apis.garmin.com@evil.example${path}`, elsewhere],
  [`https://evil.example/https://apis.garmin.com${path}`, elsewhere],
  [`https://evil.example?https://apis.garmin.com${path}`, elsewhere],
  [`https://evil.example#@apis.garmin.com${path}`, elsewhere],
  [`https://evil.example\\@apis.garmin.com${path}`, elsewhere],
  [`https://apis.garmin.com\\@evil.example${path}`, notPlain],
  [`https://apis.garmin.com:8443${path}`, elsewhere],
  [`https://apis.garmin.com:80${path}`, elsewhere],
  [`http://apis.garmin.com${path}`, elsewhere],
  [`https://apis.garmin.com.${path}`, elsewhere],
  [`https://apis.garmin.com.:443${path}`, elsewhere],
  [`https://аpis.garmin.com${path}`, elsewhere],
  [`https://xn--pis-7cd.garmin.com${path}`, elsewhere],
  [`https://127.0.0.1${path}`, elsewhere],
  [`https://[::1]${path}`, elsewhere],
  [`https://[::ffff:7f00:1]${path}`, elsewhere],
  [`https://2130706433${path}`, elsewhere],
  [`https://0x7f000001${path}`, elsewhere],
  [`https://0177.0.0.1${path}`, elsewhere],
  [`http://169.254.169.254/latest/meta-data/dailies`, elsewhere],
  [`https://localhost${path}`, elsewhere],
  ['file:///wellness-api/rest/dailies', 'must be an https URL'],
  ['data:application/json,[]', 'must be an https URL'],
  [`blob:https://apis.garmin.com${path}`, 'must be an https URL'],
  [`ftp://apis.garmin.com${path}`, 'must be an https URL'],
  ['javascript:fetch()', 'must be an https URL'],
  [`https://user@apis.garmin.com${path}`, 'must not name a user'],
  [`https://user:secret@apis.garmin.com${path}`, 'must not name a user'],
  [`https://:secret@apis.garmin.com${path}`, 'must not name a user'],
  [`https://@apis.garmin.com${path}`, notPlain],
  [`https://apis.garmin.com${path}#`, notPlain],
  [`https://apis.garmin.com${path}#@evil.example/dailies`, notPlain],
  [`HTTPS://apis.garmin.com${path}`, notPlain],
  [`https://APIS.garmin.com${path}`, notPlain],
  [`https://apis.garmin.com:443${path}`, notPlain],
  [`https:apis.garmin.com${path}`, notPlain],
  [`https:\\\\apis.garmin.com${path}`, notPlain],
  [`https:///apis.garmin.com${path}`, notPlain],
  [` https://apis.garmin.com${path}`, notPlain],
  [`https://apis.garmin.com${path}\n`, notPlain],
  [`https://apis\t.garmin.com${path}`, notPlain],
  [`ht\ntps://apis.garmin.com${path}`, notPlain],
  [`https://apis.garmin.com/wellness-api/rest\\dailies?${query}`, notPlain],
  [`https://apis.garmin.com/wellness-api/rest/../rest/dailies?${query}`, notPlain],
  [`https://apis.garmin.com/wellness-api/rest/%2e%2e/rest/dailies?${query}`, notPlain],
  [`https://%61pis.garmin.com${path}`, notPlain],
  [`https://apis。garmin.com${path}`, notPlain],
  [`https://ａpis.garmin.com${path}`, notPlain],
  [`https://apis.garmin.com/wellness-api/rest/x%2f/dailies`, 'must end in the data type'],
  [`https://apis.garmin.com/wellness-api/rest//dailies`, 'must end in the data type'],
  [`https://apis.garmin.com/wellness-api/restdailies`, 'must end in the data type'],
  [`https://apis.garmin.com/wellness-api/rest/user/registration`, 'must end in the data type'],
  [`https://apis.garmin.com/wellness-api/rest/sleeps?${query}`, 'must end in the data type'],
  [`https://apis.garmin.com/wellness-api/rest/Dailies?${query}`, 'must end in the data type'],
  [`https://apis.garmin.com/wellness-api/rest/dailies/?${query}`, 'must end in the data type'],
  [`https://apis.garmin.com/oauth/dailies?${query}`, 'must end in the data type'],
  [`https://apis.garmin.com/dailies`, 'must end in the data type'],
  [`${api}/dailies?${query}&token=2`, 'has unknown or repeated parameters'],
  [`${api}/dailies?${query}&url=https://evil.example`, 'has unknown or repeated parameters'],
  [`${api}/dailies?Token=1`, 'has unknown or repeated parameters'],
  [`${api}/dailies?token=1;uploadStartTimeInSeconds=2&x`, 'has unknown or repeated parameters'],
];

for (const [text, reason] of refused)
  t.test(`refuses ${JSON.stringify(text)?.slice(0, 90)}`, async (t) => {
    t.equal(reasonOf(text), reason);
  });

t.test('a listed loopback origin is accepted in one notation only', async (t) => {
  const local = { origins: ['http://127.0.0.1:4000'], pathPrefix: '' };
  const of = (text: string) => reasonOf(text, dailies, local);
  t.equal(of('http://127.0.0.1:4000/dailies'), 'fetched');
  for (const host of ['2130706433', '0x7f.1', '127.1', '0177.0.0.1', '127.0.0.1.'])
    t.equal(of(`http://${host}:4000/dailies`), notPlain, host);
  for (const host of ['localhost', '[::1]', '[::ffff:127.0.0.1]', '127.0.0.2', '0.0.0.0'])
    t.equal(of(`http://${host}:4000/dailies`), elsewhere, host);
});

t.test('hostile callbacks are not fetched, and each is reported', async (t) => {
  const provider = await startCallbackServer(t);
  const silent = await startSilentListener(t);
  const redirects = await startCallbackServer(t);
  const database = await freshDatabase(t);
  const inbox = inboxOn(database);
  const named = `http://provider.example:${silent.port}`;
  const { call } = await startBroker(t, {
    databaseUrl: database.url,
    services: [
      users,
      timeseries,
      devicemakerIngestWith({
        ...pingLimits(),
        resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      }),
    ],
    settings: {
      DEVICEMAKER_API_URL: `${provider.origin}/api`,
      DEVICEMAKER_CALLBACK_ORIGINS: `${provider.origin},${redirects.origin},${named}`,
    },
  });
  const { id } = await call('users.create', {});
  const userId = `account-${randomUUID()}`;
  await call('users.connect', { user_id: id, provider: 'devicemaker', provider_user_id: userId });
  provider.answer(json([]));
  redirects.answer((_req, res) => {
    const location = `http://127.0.0.1:${silent.port}/api/dailies`;
    res.writeHead(302, { location }).end();
  });
  const tail = `:${silent.port}/api/dailies?token=secret-token`;
  const hostile = [
    ...['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f000001', '0177.0.0.1'],
    ...['0.0.0.0', '[::]', '127.0.0.1.', 'LOCALHOST', '127.0.0.2', `127.0.0.1:${provider.port}@127.0.0.1`],
  ].map((host) => `http://${host}${tail}`);
  const callbacks = [
    ...hostile,
    `http://169.254.169.254/api/dailies?token=secret-token`,
    `${provider.origin}@127.0.0.1${tail}`,
    `${provider.origin}\\@127.0.0.1${tail}`,
    `${provider.origin.replace('127', '\t127')}/api/dailies?token=secret-token`,
    `http://127.0.0.1${tail}#${provider.origin}/api/dailies`,
    'file:///etc/passwd',
    `data:application/json,[{"userId":"${userId}"}]`,
    `${redirects.origin}/api/dailies?token=secret-token`,
    `${named}/api/dailies?token=secret-token`,
    `${provider.origin}/api/dailies?token=good`,
  ];
  const body = { dailies: callbacks.map((callbackURL) => ({ userId, callbackURL })) };
  const delivery_id = await inbox.receive({
    ...{ provider: 'devicemaker', kind: 'ping', headers: {} },
    body: Buffer.from(JSON.stringify(body)),
  });
  await call('devicemaker-ingest.ping', { delivery_id });
  const answer = PingAnswer.parse(await inbox.answerOf(delivery_id));
  t.equal(silent.connections(), 0, 'nobody came');
  t.same(provider.asked, ['/api/dailies?token=good']);
  t.equal(redirects.asked.length, 1);
  const errors = answer.wellness.dailies?.errors ?? [];
  for (const index of callbacks.slice(0, -1).keys())
    t.ok(
      errors.some((text) => text.startsWith(`dailies[${index}]: `)),
      `callback ${index}`,
    );
  t.equal(errors.length, callbacks.length - 1);
  t.match(errors.at(-2), 'redirect, which is not followed');
  t.match(errors.at(-1), 'leads to an address that is not public');
  const kept = await database.query('select error, answer::text from deliveries.delivery');
  const progress = await database.query('select entry, result::text from deliveries.progress');
  t.notMatch(JSON.stringify([kept, progress]), /secret-token|token=/, 'and no token stands in what is kept');
});
