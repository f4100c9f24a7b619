import t from 'tap';
import { eventTypes } from '../../contracts/webhooks/events.ts';
import { shownMessage } from '../../stack/listen/message-line.ts';
import { listenOptions, UsageError } from '../../stack/listen/options.ts';

t.test('messages are forwarded to this machine only', async (t) => {
  for (const to of [
    'http://localhost:3000/hooks',
    'http://127.0.0.1/',
    'http://127.8.9.10:1',
    'http://[::1]:4000/a?b=1',
    'https://localhost/x',
    'http://2130706433:80/',
  ])
    t.ok(listenOptions(['--to', to]).to, to);
  for (const to of [
    'localhost:3000',
    'ftp://localhost/',
    'http://app.example/',
    'http://localhost.app.example/',
    'http://127.0.0.1.app.example/',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
    'http://user:secret@localhost/',
    'http://[::ffff:10.0.0.1]/',
    '',
  ])
    t.throws(() => listenOptions(['--to', to]), UsageError, to);
});

t.test('a wrong argument is explained in one sentence', async (t) => {
  for (const [args, sentence] of [
    [['--tpye', 'x'], /^Unknown option '--tpye'\. .*--help/],
    [['extra'], /^Unexpected argument 'extra'\. .*--help/],
    [['--to'], /--to.*argument missing\. .*--help/],
    [['--last', 'many'], /^--last must be a whole number from 0 to 1000\.$/],
    [['--last', ''], /^--last must be/],
    [['--last', '-1'], /--last.* .*--help|^--last must be/],
    [['--last', '1001'], /^--last must be/],
    [['--count', '1.5'], /^--count must be a whole number from 0 to 1000000000\.$/],
    [['--type', 'workouts'], /^--type: no event type matches "workouts"\. The types are user\.created/],
    [['--type', 'workout.*,'], /^--type: no event type matches ""/],
  ] as const)
    t.throws(() => listenOptions(args), { name: 'UsageError', message: sentence }, args.join(' '));
});

t.test('patterns select event types, and an id the messages of a user', async (t) => {
  const selected = (...args: string[]) => {
    const { isWanted } = listenOptions(args);
    return [...eventTypes, 'test.ping'].filter((type) => isWanted({ type, users: ['u1', 'external 1'] }));
  };
  t.equal(selected().length, eventTypes.length + 1);
  const workouts = ['workout.created', 'workout.updated', 'workout.deleted'];
  t.strictSame(selected('--type', 'workout.*'), workouts);
  t.strictSame(selected('--type', 'workout.*, test.ping', '--user', 'external 1'), [
    ...workouts,
    'test.ping',
  ]);
  t.strictSame(selected('--type', 'user.deleted', '--type', 'test.*'), ['user.deleted', 'test.ping']);
  t.strictSame(selected('--user', 'u2'), []);
});

t.test('earlier messages are shown to a reader, and not forwarded', async (t) => {
  const last = (...args: string[]) => listenOptions(args).last;
  t.strictSame(
    [last(), last('--json'), last('--to', 'http://localhost/'), last('--json', '--last', '3')],
    [10, 0, 0, 3],
  );
});

const lineOf = (type: string, data: Record<string, unknown>) =>
  shownMessage({ at: '2026-01-01T10:00:00.000Z', body: JSON.stringify({ type, data }) }).details;

t.test('control characters do not reach the terminal', async (t) => {
  const external_user_id = 'a\u001b[2J\u009b1m\n\u202eb';
  t.equal(lineOf('user.created', { external_user_id }), 'a\ufffd[2J\ufffd1m\ufffd\ufffdb  verified');
  const body = JSON.stringify({ type: 'user.created', data: { external_user_id } }, null, 2);
  const { json } = shownMessage({ at: '2026-01-01T10:00:00.000Z', body });
  t.notMatch(json, /[\p{Cc}]/u);
  t.match(JSON.parse(json), { data: { external_user_id } });
});
