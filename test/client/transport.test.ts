import { getEventListeners } from 'node:events';
import t from 'tap';
import { retryAfterOf } from '../../clients/typescript/src/errors.ts';
import {
  ConflictError,
  ConnectionError,
  NotFoundError,
  PulsebusError,
  RateLimitError,
  ServerError,
  ValidationError,
} from '../../clients/typescript/src/index.ts';
import { pause, retryDelayMs } from '../../clients/typescript/src/retry.ts';
import { type Scripted, scripted } from './scripted.ts';

const now = { 'Retry-After': '0' };
const limited = { status: 429, body: { detail: 'Too many requests.' }, headers: now };
const unavailable = { status: 503, body: { detail: 'Service temporarily unavailable.' }, headers: now };
const user = { id: 'u-1' };
const user_id = 'u-1';

t.test('parameters go to path, query, header and body', async (t) => {
  const { pulsebus, sent } = scripted([{ body: user }]);
  await pulsebus.users.get({ user_id: 'a/b' });
  await pulsebus.timeseries.samples({
    ...{ user_id, types: ['heart_rate', 'steps'], start_time: 1, end_time: '2026-01-01', limit: 5 },
  });
  await pulsebus.users.update({ user_id, first_name: 'Ada' });
  await pulsebus.users.disconnect({ user_id, provider: 'devicemaker', purge: true });
  await pulsebus.devicemakerIngest.push({ 'devicemaker-client-id': 'c', dailies: [] });
  await pulsebus.auth.me();
  t.same(
    sent.map(({ line, body }) => [line, body]),
    [
      ['GET /api/v1/users/a%2Fb', null],
      [
        'GET /api/v1/users/u-1/timeseries?types=heart_rate&types=steps&start_time=1&end_time=2026-01-01&limit=5',
        null,
      ],
      ['PATCH /api/v1/users/u-1', { first_name: 'Ada' }],
      ['DELETE /api/v1/users/u-1/connections/devicemaker?purge=true', null],
      ['POST /api/v1/webhooks/devicemaker/push', { dailies: [] }],
      ['GET /api/v1/auth/me', null],
    ],
  );
  t.equal(sent[4]?.headers.get('devicemaker-client-id'), 'c');
  await t.rejects(pulsebus.users.get({ user_id: '' }), { message: 'The parameter user_id is missing.' });
});

t.test('the address of the server may contain /api/v1 or not', async (t) => {
  for (const baseUrl of [
    'http://h.test',
    'http://h.test/',
    'http://h.test/api/v1',
    'http://h.test/api/v1/',
  ]) {
    const { pulsebus, sent } = scripted([{}], { baseUrl });
    await pulsebus.apiGateway.health();
    t.equal(sent[0]?.line, 'GET /api/v1/health', baseUrl);
  }
});

t.test(
  'a key, a token or a function that returns one is the credential, only where one is needed',
  async (t) => {
    const credentials = async (options: Parameters<typeof scripted>[1]) => {
      const { pulsebus, sent } = scripted([{}], options);
      await pulsebus.users.list();
      await pulsebus.auth.login({ email: 'a@example.com', password: 'a long password' });
      return sent.flatMap(({ headers }) => [headers.get('x-api-key'), headers.get('authorization')]);
    };
    t.same(await credentials({}), ['sk-1', null, null, null]);
    t.same(await credentials({ token: 't-1' }), [null, 'Bearer t-1', null, null]);
    t.same(await credentials({ token: async () => 't-2' }), [null, 'Bearer t-2', null, null]);
  },
);

t.test('GET, DELETE and POST with a key are repeated after 429, 503 and a lost connection', async (t) => {
  for (const failure of [limited, unavailable, null]) {
    const { pulsebus, sent } = scripted([failure === null ? null : failure, { body: user }]);
    t.same(await pulsebus.users.get({ user_id }), user);
    t.equal(sent.length, 2);
  }
  const removed = scripted([unavailable, { body: user }]);
  await removed.pulsebus.users.remove({ user_id });
  t.equal(removed.sent.length, 2);
  const created = scripted([unavailable, limited, { status: 201, body: user }]);
  await created.pulsebus.users.create({ first_name: 'Ada' });
  const keys = created.sent.map(({ headers }) => headers.get('idempotency-key'));
  t.match(keys[0], /^[\da-f-]{36}$/);
  t.same(keys, [keys[0], keys[0], keys[0]], 'all attempts have one key');
});

t.test('a request that is still being processed under its key is repeated', async (t) => {
  const inWork = { status: 409, headers: { ...now, 'X-Error-Code': 'IDEMPOTENCY_KEY_IN_WORK' } };
  const { pulsebus, sent } = scripted([inWork, { status: 201, body: user }]);
  await pulsebus.users.create({}, { idempotencyKey: 'mine' });
  t.same(
    sent.map(({ headers }) => headers.get('idempotency-key')),
    ['mine', 'mine'],
  );
});

t.test('PATCH and POST without a key are sent once', async (t) => {
  const { pulsebus, sent } = scripted([unavailable]);
  await t.rejects(pulsebus.users.update({ user_id }), ServerError);
  await t.rejects(pulsebus.auth.issueToken({ user_id }), ServerError);
  t.equal(sent.length, 2);
});

t.test('repetitions are bounded, and other failures are not repeated', async (t) => {
  const always = scripted([limited]);
  await t.rejects(always.pulsebus.users.list(), RateLimitError);
  t.equal(always.sent.length, 5);
  const never = scripted([limited], { maxRetries: 0 });
  await t.rejects(never.pulsebus.users.list(), RateLimitError);
  t.equal(never.sent.length, 1);
  const late = scripted([{ ...limited, headers: { 'Retry-After': '61' } }]);
  t.match(await late.pulsebus.users.list().catch((error) => error), { retryAfterSeconds: 61 });
  t.equal(late.sent.length, 1);
  const broken = scripted([{ status: 500 }]);
  await t.rejects(broken.pulsebus.users.list(), { status: 500, code: 'HTTP_500' });
  t.equal(broken.sent.length, 1);
  await t.rejects(scripted([null], { maxRetries: 0 }).pulsebus.users.list(), ConnectionError);
});

t.test('the delay is Retry-After, otherwise a random part of one that doubles', async (t) => {
  const error = (retryAfterSeconds: number | null, status = 429) =>
    new PulsebusError('', { status, code: '', requestId: null, errors: [], retryAfterSeconds });
  t.equal(retryDelayMs(error(7), 0, 60), 7000);
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  const seconds = retryAfterOf(new Headers({ 'Retry-After': date })) ?? 0;
  t.ok(seconds > 3000 && seconds <= 3600, `${seconds}`);
  t.equal(retryDelayMs(error(61), 0, 60), null);
  t.equal(retryDelayMs(error(null, 404), 0, 60), null);
  for (const [attempt, longest] of [500, 1000, 2000, 4000, 8000, 8000].entries()) {
    const delays = Array.from({ length: 50 }, () => retryDelayMs(error(null), attempt, 60) ?? 0);
    t.ok(
      delays.every((delay) => delay >= longest / 2 && delay <= longest),
      `attempt ${attempt}`,
    );
    t.ok(new Set(delays).size > 1, 'it varies');
  }
});

t.test('a signal ends the request and the wait before a repetition', async (t) => {
  const reason = new Error('enough');
  const before = scripted([{}]);
  await t.rejects(before.pulsebus.users.get({ user_id }, { signal: AbortSignal.abort(reason) }), reason);
  t.equal(before.sent.length, 0);
  const controller = new AbortController();
  const waiting = scripted([{ ...limited, headers: { 'Retry-After': '50' } }]);
  const call = waiting.pulsebus.users.get({ user_id }, { signal: controller.signal });
  controller.abort(reason);
  await t.rejects(call, reason);
  const { signal } = new AbortController();
  await pause(0, signal);
  t.same(getEventListeners(signal, 'abort'), [], 'a wait leaves nothing at the signal');
});

t.test('an error has code, status, request id and fields, and a class of its status', async (t) => {
  const headers = { 'X-Error-Code': 'RANGE_INVALID', 'X-Request-Id': 'r-1' };
  const errors = [{ field: 'start_time', message: 'must be before the end' }];
  const script: Scripted[] = [{ status: 422, body: { detail: 'No.', errors }, headers }];
  await t.rejects(scripted(script).pulsebus.users.get({ user_id }), {
    ...{
      name: 'ValidationError',
      message: 'No.',
      code: 'RANGE_INVALID',
      requestId: 'r-1',
      errors,
      status: 422,
    },
  });
  const classes = [
    [404, NotFoundError],
    [409, ConflictError],
    [422, ValidationError],
    [502, ServerError],
    [418, PulsebusError],
  ] as const;
  for (const [status, Class] of classes) {
    const error = await scripted([{ status, text: '<html>' }])
      .pulsebus.auth.me()
      .catch((error) => error);
    t.ok(error instanceof Class && error instanceof PulsebusError, String(status));
    t.match(error, { status, code: `HTTP_${status}`, requestId: null, errors: [] });
  }
});
