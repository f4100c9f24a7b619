import { type HttpRequest, type Reply, type Route, route } from '../server/http.ts';
import { simulatedDay } from '../simulation/days.ts';
import { addDays, dateAt, instantOf } from '../simulation/zone.ts';
import { asUser } from './accounts.ts';
import { type CurrentRow, rowsIn, rowsSince } from './current-rows.ts';
import { envelope, failure } from './envelope.ts';
import { isOverLimit } from './limit.ts';
import { intradayOf, type RowKind, stagesOf } from './rows.ts';
import type { WithingsAccount, WithingsWorld } from './state.ts';
import { subscriptions } from './subscriptions.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const rowsPerPage = 40;

type Serve = (account: WithingsAccount, request: HttpRequest, clientId: string) => Reply | Promise<Reply>;

/** The routes that read a user's data and manage the subscriptions. Everything is POST with an action. */
export function withingsApi(world: WithingsWorld): Route[] {
  const post = (path: string, scope: string, actions: Readonly<Record<string, Serve>>): Route =>
    route('POST', `/withings${path}`, (request) => serve(world, request, scope, actions), 'api');
  const rows = (kind: RowKind, list: string): Serve => {
    return (account, request) => page(world, account, request, { kind, list });
  };
  return [
    post('/measure', 'user.metrics', { getmeas: rows('measures', 'measuregrps') }),
    post('/v2/measure', 'user.activity', {
      getactivity: rows('days', 'activities'),
      getworkouts: rows('workouts', 'series'),
      getintradayactivity: (account, request) => intraday(world, account, request),
    }),
    post('/v2/sleep', 'user.activity', {
      getsummary: rows('sleep', 'series'),
      get: (account, request) => stages(world, account, request),
    }),
    post('/v2/user', 'user.info', { getdevice: () => envelope({ devices: [{ deviceid: 'a1b2' }] }) }),
    post(
      '/notify',
      '',
      Object.fromEntries(
        ['list', 'subscribe', 'revoke'].map((action) => [
          action,
          (account: WithingsAccount, request: HttpRequest, clientId: string) =>
            subscriptions(world, account, { request, clientId }),
        ]),
      ),
    ),
  ];
}

async function serve(
  world: WithingsWorld,
  request: HttpRequest,
  scope: string,
  actions: Readonly<Record<string, Serve>>,
): Promise<Reply> {
  if (isOverLimit(world)) return failure(601, 'Too Many Request');
  const action = actions[request.form.get('action') ?? ''];
  if (action === undefined) return failure(503, 'Invalid Params: action');
  let answer: Reply | Promise<Reply> = failure(401, 'invalid_token');
  const outcome = asUser(world, request, (account, clientId) => {
    const granted = account.grants.at(-1)?.scope ?? [];
    answer =
      scope === '' || granted.includes(scope)
        ? action(account, request, clientId)
        : failure(277, 'Unauthorized scope');
    return envelope({});
  });
  return isSuccess(outcome) ? answer : outcome;
}

function isSuccess({ json }: Reply): boolean {
  return typeof json === 'object' && json !== null && 'status' in json && json.status === 0;
}

interface Listing {
  readonly kind: RowKind;
  readonly list: string;
}

function page(
  world: WithingsWorld,
  account: WithingsAccount,
  { form }: HttpRequest,
  { kind, list }: Listing,
): Reply {
  const chosen = choose(world, account, kind, form);
  if (chosen === null) return failure(503, 'Invalid Params: startdate');
  const offset = Number(form.get('offset') ?? 0);
  const some = chosen.slice(offset, offset + rowsPerPage);
  const more = offset + some.length < chosen.length;
  const rows = some.map((row) => shown(kind, row, form));
  const { zone: timezone } = world.user(account.person).traits;
  return envelope({
    [list]: rows,
    timezone,
    more: kind === 'measures' ? Number(more) : more,
    offset: more ? offset + some.length : 0,
  });
}

function choose(
  world: WithingsWorld,
  account: WithingsAccount,
  kind: RowKind,
  form: URLSearchParams,
): CurrentRow[] | null {
  const since = form.get('lastupdate');
  if (since !== null) return rowsSince(world, account, kind, Number(since));
  if (kind === 'measures') {
    const [start, end] = [
      Number(form.get('startdate') ?? Number.NaN),
      Number(form.get('enddate') ?? Number.NaN),
    ];
    return Number.isNaN(start + end)
      ? null
      : rowsIn(world, account, kind, { startMs: start * 1000, endMs: end * 1000 });
  }
  const [first, last] = [form.get('startdateymd') ?? '', form.get('enddateymd') ?? ''];
  if (!/^\d{4}-\d\d-\d\d$/.test(first) || !/^\d{4}-\d\d-\d\d$/.test(last)) return null;
  const { zone } = world.user(account.person).traits;
  const span = { startMs: instantOf(zone, first, 0) - dayMs, endMs: instantOf(zone, addDays(last, 1), 0) };
  return rowsIn(world, account, kind, span).filter(({ fields }) => {
    const date = String(fields.date);
    return date >= first && date <= last;
  });
}

// Only the fields that are named in data_fields are sent, besides those that describe the row.
function shown(
  kind: RowKind,
  { id, modified, fields }: CurrentRow,
  form: URLSearchParams,
): Record<string, unknown> {
  if (kind === 'measures') return { grpid: Number(id), modified, ...fields };
  const wanted = (form.get('data_fields') ?? '').split(',');
  const pick = (from: object) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => wanted.includes(name)));
  if (kind !== 'days') return { id: Number(id), modified, ...fields, data: pick(Object(fields.data)) };
  const described = ['date', 'timezone', 'deviceid', 'model', 'brand', 'is_tracker'];
  const head = Object.fromEntries(Object.entries(fields).filter(([name]) => described.includes(name)));
  return { ...head, modified, ...pick(fields) };
}

function spanOf({ form }: HttpRequest, nowMs: number): { startMs: number; endMs: number } | null {
  const [start, end] = [
    Number(form.get('startdate') ?? Number.NaN),
    Number(form.get('enddate') ?? Number.NaN),
  ];
  if (Number.isNaN(start + end)) return null;
  // Only the first 24 hours of the window are answered.
  return { startMs: start * 1000, endMs: Math.min(end * 1000, start * 1000 + dayMs, nowMs) };
}

function daysAround(
  world: WithingsWorld,
  account: WithingsAccount,
  { startMs, endMs }: { startMs: number; endMs: number },
) {
  const user = world.user(account.person);
  const { zone } = user.traits;
  const dates: string[] = [];
  for (
    let date = dateAt(zone, startMs);
    date <= dateAt(zone, Math.max(startMs, endMs));
    date = addDays(date, 1)
  )
    dates.push(date);
  return dates.map((date) => simulatedDay(user, date));
}

/** The intraday entries of an account that start in a span. */
export function intradayIn(
  world: WithingsWorld,
  account: WithingsAccount,
  span: { startMs: number; endMs: number },
) {
  const quarter = Math.floor(world.clock.nowMs() / (15 * minuteMs)) * 15 * minuteMs;
  return daysAround(world, account, span)
    .flatMap((day) => intradayOf(day, Math.min(day.endMs, quarter)))
    .filter(([second]) => second * 1000 >= span.startMs && second * 1000 < span.endMs);
}

function intraday(world: WithingsWorld, account: WithingsAccount, request: HttpRequest): Reply {
  const span = spanOf(request, world.clock.nowMs());
  if (span === null) return failure(503, 'Invalid Params: startdate');
  return envelope({ series: Object.fromEntries(intradayIn(world, account, span)) });
}

function stages(world: WithingsWorld, account: WithingsAccount, request: HttpRequest): Reply {
  const span = spanOf(request, world.clock.nowMs());
  if (span === null) return failure(503, 'Invalid Params: startdate');
  const series = daysAround(world, account, { ...span, endMs: span.endMs + dayMs }).flatMap((day) =>
    day.sleep === null ? [] : stagesOf(day, day.sleep),
  );
  const inside = series.filter(({ startdate, enddate }) => {
    return Number(startdate) * 1000 < span.endMs && Number(enddate) * 1000 > span.startMs;
  });
  return envelope({ series: inside, model: 16 });
}
