import t from 'tap';
import { placeOf, stateSentence, stateWord } from '../../console/src/destination-texts.ts';
import { adviceOn, forms, settingsOf } from '../../console/src/parts/destinations/forms.ts';
import { targets } from '../../services/destinations/work/targets/all.ts';
import { JetstreamSettings } from '../../services/destinations/work/targets/jetstream/client.ts';
import { PostgresSettings } from '../../services/destinations/work/targets/postgres/client.ts';
import { S3Settings } from '../../services/destinations/work/targets/s3/client.ts';
import { destination } from './home-figures.ts';

const values: Readonly<Record<string, string>> = {
  endpoint: ' https://s3.example.com ',
  ...{ bucket: 'health-data', access_key_id: 'KEY', secret_access_key: 'SECRET', hourly_days: '2' },
};
const typed =
  (changed = values) =>
  (name: string) =>
    changed[name] ?? '';

t.test('a form has every setting of its kind, and the API takes what it sends', async (t) => {
  const settings = settingsOf(forms.s3.fields, typed());
  t.strictSame(settings, {
    ...{ endpoint: 'https://s3.example.com', region: 'us-east-1', bucket: 'health-data', prefix: '' },
    ...{ access_key_id: 'KEY', secret_access_key: 'SECRET' },
    ...{ interval_seconds: 300, hourly_days: 2, virtual_host: false },
  });
  t.strictSame(
    targets.s3.parse(settings),
    settings,
    'no setting is left out, and presets are those of the API',
  );
});

t.test(
  'the secrets of a form are those that the API does not show, and stay if they are not typed',
  async (t) => {
    for (const [kind, { fields }] of Object.entries(forms)) {
      const secrets = fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
      t.strictSame(secrets, Object.entries(targets).find(([one]) => one === kind)?.[1].secrets);
    }
    t.notHas(settingsOf(forms.s3.fields, typed({ ...values, secret_access_key: '' })), {
      secret_access_key: '',
    });
  },
);

t.test('the forms of a database and of a stream send what the API takes', async (t) => {
  const given = { host: 'db.example.com', database: 'd', user: 'u', password: 'p', tls: 'verify' };
  const postgres = settingsOf(forms.postgres.fields, typed(given));
  t.match(targets.postgres.parse(postgres), { ...given, port: 5432, schema: 'pulsebus' });
  const { fields } = forms.jetstream;
  const token = { servers: 'a.example.com:4222, b.example.com:4222', stream: 'data', token: 'secret' };
  const jetstream = settingsOf(fields, typed(token));
  t.match(jetstream, { servers: ['a.example.com:4222', 'b.example.com:4222'], password: null, user: null });
  t.match(targets.jetstream.parse(jetstream), { subject_prefix: 'pulsebus', token: 'secret' });
  const kept = settingsOf(fields, typed({ ...token, token: '' }));
  t.strictSame(Object.keys(kept), ['servers', 'stream', 'subject_prefix', 'user', 'tls', 'tls_ca']);
});

t.test('every setting of a kind is in its form', async (t) => {
  const shapes = {
    s3: S3Settings.shape,
    postgres: PostgresSettings.shape,
    jetstream: JetstreamSettings.shape,
  };
  for (const [kind, shape] of Object.entries(shapes)) {
    const [, form] = Object.entries(forms).find(([one]) => one === kind) ?? [];
    t.same(form?.fields.map(({ name }) => name).sort(), Object.keys(shape).sort(), kind);
  }
});

t.test('a state is a word and a sentence', async (t) => {
  const behind = { changes_behind: 100_000, lag_seconds: 200 };
  const cases = {
    'Everything is copied.': destination(),
    '100,000 or more changes wait, the oldest for 3 min.': destination({ ...behind, state: 'catching_up' }),
    'The stored data is being copied. Changes follow it.': destination({
      ...{ ...behind, state: 'catching_up', snapshot_complete: false },
    }),
    'The last attempt failed. It is tried again. The copy of the stored data is not complete.': destination({
      ...{ state: 'failing', snapshot_complete: false },
    }),
    'Paused by a developer. 1 change waits for 3 min.': destination({
      ...{ ...behind, changes_behind: 1, state: 'paused', paused_reason: 'request' },
    }),
  };
  for (const [sentence, one] of Object.entries(cases)) t.equal(stateSentence(one), sentence);
  t.equal(stateWord({ state: 'catching_up' }), 'catching up');
  t.equal(placeOf({ kind: 's3', settings: { bucket: 'b', prefix: '' } }), 'b');
});

t.test('each error says what to do, also one of a newer service', async (t) => {
  t.match(adviceOn('missing'), /^Create the bucket/);
  t.match(adviceOn('of_tomorrow'), /^It is tried again/);
});
