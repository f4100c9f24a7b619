import t from 'tap';
import type { PullPart } from '../../../domain/provider/pulled-provider.ts';
import { readTokens } from '../../../mixins/provider-api/token-endpoint.ts';
import { plainReply } from '../../../providers/withings/calls.ts';
import { subscriptionEnding, withings } from '../../../providers/withings/provider.ts';

const nowMs = Date.UTC(2026, 2, 2, 12);
const nowSeconds = nowMs / 1000;
const cursorPart: PullPart = { span: null, cursor: '1772000000', page: null, nowMs };
const span = { startMs: Date.UTC(2026, 1, 20), endMs: Date.UTC(2026, 1, 22) };
const spanPart: PullPart = { span, cursor: null, page: null, nowMs };
const { measures, days, workouts, sleep, intraday } = withings.pull.types;
const reply = (body: unknown, status = 0) => ({
  ...{ status: 200, headers: {} },
  text: JSON.stringify({ status, body, error: 'a reason' }),
});
const rows = measures.passes.rows;

t.test('a list is read from its cursor, and from a day ago without one', async (t) => {
  t.match(rows.request({}, cursorPart), {
    path: '/measure',
    form: { action: 'getmeas', lastupdate: '1772000000' },
  });
  const { form } = rows.request({}, { ...cursorPart, cursor: null });
  t.equal(form?.lastupdate, String(nowSeconds - 86_400));
});

t.test('a span is named by instants or by days, a day more on both sides', async (t) => {
  t.match(rows.request({}, spanPart).form, {
    startdate: '1771545600',
    enddate: '1771718400',
    lastupdate: undefined,
  });
  t.match(days.passes.rows.request({}, spanPart).form, {
    startdateymd: '2026-02-19',
    enddateymd: '2026-02-22',
  });
});

t.test('pages are followed by their offset, and the cursor is the newest of all pages', async (t) => {
  const group = (modified: number) => ({ grpid: modified, modified });
  const first = rows.read(reply({ measuregrps: [group(1772000009)], more: 1, offset: 1 }), cursorPart);
  const next = { ...cursorPart, page: first?.next ?? null };
  t.match(rows.request({}, next).form, { offset: '1', lastupdate: '1772000000' });
  const last = rows.read(reply({ measuregrps: [group(1772000005)], more: 0, timezone: 'Asia/Tokyo' }), next);
  t.match(last, {
    next: null,
    cursor: '1772000009',
    records: [{ grpid: 1772000005, timezone: 'Asia/Tokyo' }],
  });
  t.equal(
    rows.read(reply({ measuregrps: [] }), cursorPart)?.cursor,
    '1772000000',
    'nothing new keeps the cursor',
  );
  t.equal(
    rows.read(reply({ measuregrps: [group(1)] }), spanPart)?.cursor,
    undefined,
    'a span moves no cursor',
  );
});

t.test('an answer that cannot be read is no page', async (t) => {
  for (const body of [{}, { measuregrps: 'x' }, null]) t.equal(rows.read(reply(body), cursorPart), null);
});

t.test('sleep is read in steps: nights, then the stages of each night', async (t) => {
  const pass = sleep.passes.rows;
  const night = (startdate: number) => ({
    id: startdate,
    startdate,
    enddate: startdate + 100_000,
    modified: 1772000001,
  });
  const first = pass.read(reply({ series: [night(1771900000), night(1771800000)] }), cursorPart);
  t.equal(first?.records.length, 2);
  const second = { ...cursorPart, page: first?.next ?? null };
  t.match(pass.request({}, second).form, { action: 'get', startdate: '1771900000', enddate: '1771986400' });
  const stages = pass.read(
    reply({ series: [{ startdate: 1771900000, enddate: 1771900600, state: 1 }] }),
    second,
  );
  const third = { ...cursorPart, page: stages?.next ?? null };
  t.match(pass.request({}, third).form, { action: 'get', startdate: '1771800000' });
  t.match(pass.read(reply({ series: [] }), third), { records: [], next: null, cursor: '1772000001' });
});

t.test('nights outside of the span are left to their own span', async (t) => {
  const inside = Date.UTC(2026, 1, 20, 23) / 1000;
  const series = [inside - 86_400, inside, inside + 2 * 86_400].map((startdate) => ({
    startdate,
    enddate: startdate + 60,
  }));
  const page = sleep.passes.rows.read(reply({ series }), spanPart);
  t.match(page?.records, [{ startdate: inside }]);
  t.equal(page?.records.length, 1);
});

t.test('intraday activity is a map by instants, or an empty list', async (t) => {
  const pass = intraday.passes.entries;
  t.match(pass.request({}, spanPart).form, { action: 'getintradayactivity', startdate: '1771545600' });
  t.same(pass.read(reply({ series: { 1771545600: { steps: 3 } } }))?.records, [
    { steps: 3, epoch: 1771545600 },
  ]);
  t.same(pass.read(reply({ series: [] })), { records: [], next: null });
  t.equal(pass.read(reply({ series: 'x' })), null);
});

t.test('an error in the body of a 200 is a failure', async (t) => {
  const failure = (status: number) => withings.pull.failure(reply({}, status));
  t.equal(failure(0), null);
  t.match(failure(401), { kind: 'unauthorized' });
  t.match(failure(601), { kind: 'limited', of: 'application', reason: 'STATUS_601', waitMs: 20_000 });
  t.match(failure(277), { kind: 'withheld' });
  t.match(failure(522), { kind: 'later' });
  t.match(failure(503), { kind: 'refused', reason: 'STATUS_503' });
  const http = (status: number) => withings.pull.failure({ status, headers: {}, text: '' });
  t.match(http(429), { kind: 'limited' });
  t.match([http(500), http(502)], [{ kind: 'later' }, { kind: 'later' }]);
});

const hintsOf = (fields: Record<string, string>) =>
  withings.pull.notifications.read(Buffer.from(new URLSearchParams(fields).toString()));

t.test('a notification names what to read again', async (t) => {
  const at = { userid: '10000007', startdate: '1771545600', enddate: '1771545700' };
  t.same(hintsOf({ ...at, appli: '4' }), [
    {
      ...{ kind: 'changed', account: '10000007', types: ['measures'] },
      span: { startMs: 1771545600000, endMs: 1771545701000 },
    },
  ]);
  t.match(hintsOf({ ...at, appli: '16' }), [{ types: ['days', 'intraday', 'workouts'] }]);
  t.match(hintsOf({ userid: '7', appli: '16', date: '2026-02-20' }), [
    { span: { startMs: Date.UTC(2026, 1, 19, 12), endMs: Date.UTC(2026, 1, 21, 12) } },
  ]);
  t.same(hintsOf({ ...at, appli: '54' }), [], 'what is not read is no hint');
});

t.test('the end of the access is a hint of its own, and an update of the profile is none', async (t) => {
  for (const action of ['unlink', 'delete'])
    t.same(hintsOf({ userid: '7', appli: '46', action }), [{ kind: 'access', account: '7' }]);
  t.same(hintsOf({ userid: '7', appli: '46', action: 'update' }), []);
});

t.test('a long span is cut, and what is no notification is refused', async (t) => {
  const [hint] = hintsOf({ userid: '7', appli: '16', startdate: '0', enddate: '1771545700' }) ?? [];
  t.match(hint, { span: { startMs: (1771545701 - 3 * 86_400) * 1000, endMs: 1771545701000 } });
  t.match(hintsOf({ userid: '7', appli: '16', startdate: '5', enddate: '1' }), [{ span: null }]);
  for (const fields of [{}, { userid: '7' }, { userid: 'x', appli: '1' }, { userid: '7', appli: 'x' }])
    t.equal(hintsOf(fields), null);
});

t.test('missing subscriptions are made for the granted scope', async (t) => {
  const { subscription } = withings.pull;
  const address = 'https://pulsebus.example/hook';
  const profiles = [
    { appli: 1, callbackurl: address },
    { appli: 2, callbackurl: 'https://elsewhere.example' },
  ];
  const missing = (scope: string[], body: unknown) =>
    subscription.missing({}, reply(body), { address, scope })?.map(({ form }) => form?.appli);
  t.same(missing(['user.metrics'], { profiles }), ['2', '4']);
  t.same(missing(['user.activity', 'user.info'], { profiles: [] }), ['16', '44', '46']);
  t.equal(missing(['user.info'], { profiles: 'x' }), undefined);
});

t.test('requested fields are those that are kept', async (t) => {
  const fieldsOf = ({ request }: typeof rows, page: string | null = null) =>
    request({}, { ...spanPart, page }).form?.data_fields;
  t.equal(fieldsOf(intraday.passes.entries), 'steps,distance,calories,duration,heart_rate,elevation,stroke');
  for (const { passes } of [days, workouts])
    t.match(fieldsOf(passes.rows), /^(?=.*\bsteps,)(?=.*\bhr_zone_3\b)/);
  t.match(fieldsOf(sleep.passes.rows), /^total_timeinbed,.*,mvt_active_duration$/);
  t.equal(fieldsOf(sleep.passes.rows, JSON.stringify({ offset: null, left: [[0, 60]], newest: 0 })), 'hr,rr');
});

t.test('each listed subscription is ended at its own address', async (t) => {
  const { list, requests } = subscriptionEnding;
  const listed = (body: unknown) => requests({ status: 200, text: JSON.stringify({ status: 0, body }) });
  t.same(list, { path: '/notify', form: { action: 'list' } });
  const callbackurl = 'https://pulse.example/webhooks';
  const profiles = [
    { appli: 1, callbackurl, comment: 'pulsebus' },
    { appli: '44', callbackurl: `${callbackurl}/former`, expires: 2147483647 },
  ];
  t.same(listed({ profiles }), [
    { path: '/notify', form: { action: 'revoke', callbackurl, appli: '1' } },
    { path: '/notify', form: { action: 'revoke', callbackurl: `${callbackurl}/former`, appli: '44' } },
  ]);
  t.same(listed({}), []);
  t.equal(listed({ profiles: 'none' }), null);
  t.equal(requests({ status: 200, text: '<html>' }), null);
});

const replyTo = (envelope: unknown) => plainReply({ status: 200, text: JSON.stringify(envelope) });

/** An answer with HTTP 200, and what it means. */
const meanings: readonly (readonly [envelope: object, status: number, error?: string])[] = [
  [{ status: 100 }, 401, 'invalid_grant'],
  [{ status: 401, error: 'XRequestID: invalid_token' }, 401, 'invalid_grant'],
  [{ status: 503, error: 'Invalid Params: invalid code' }, 400, 'invalid_grant'],
  [{ status: 503, error: 'Invalid Params: invalid refresh_token' }, 400, 'invalid_grant'],
  [{ status: 401, error: 'Invalid client_secret' }, 401, 'invalid_client'],
  [{ status: 503, error: 'Invalid Params: startdate' }, 400, 'invalid_request'],
  [{ status: 503, error: 'Invalid Params: missing grant_type' }, 400, 'invalid_request'],
  ...[293, 2554].map((status) => [{ status }, 400, 'invalid_request'] as const),
  [{ status: 601 }, 429],
  ...[522, 9000].map((status) => [{ status }, 503] as const),
];

t.test('the status in a body is an HTTP status and an error of OAuth', async (t) => {
  t.same(replyTo({ status: 0, body: { userid: 7 } }), { status: 200, text: '{"userid":7}' });
  t.same(replyTo({ status: 0 }), { status: 200, text: '{}' });
  for (const [envelope, status, error] of meanings) {
    const { text, ...made } = replyTo(envelope);
    t.equal(made.status, status, JSON.stringify(envelope));
    if (error !== undefined) t.match(JSON.parse(text), { error });
    const kind = error === 'invalid_grant' ? 'refused' : 'later';
    t.equal(readTokens({ ...made, text }, 0).kind, kind, 'only a refused grant ends a connection');
  }
  for (const text of ['', '<html>', '[]', '{"userid":7}', '{"status":"0"}'])
    t.equal(plainReply({ status: 200, text }).status, 502, text);
  t.same(plainReply({ status: 429, text: 'slow down' }), { status: 429, text: 'slow down' });
});
