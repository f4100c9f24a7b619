import t from 'tap';
import { placeOf, stateSentence, stateWord } from '../../console/src/destination-texts.ts';
import { adviceOn, forms, settingsOf } from '../../console/src/parts/destinations/forms.ts';
import { targets } from '../../services/destinations/targets/all.ts';
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
      const secrets = fields.filter(({ type }) => type === 'secret').map(({ name }) => name);
      t.strictSame(secrets, Object.entries(targets).find(([one]) => one === kind)?.[1].secrets);
    }
    t.notHas(settingsOf(forms.s3.fields, typed({ ...values, secret_access_key: '' })), {
      secret_access_key: '',
    });
  },
);

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
