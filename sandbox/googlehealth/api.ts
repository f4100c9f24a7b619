import { bearerOf, type HttpRequest, ok, type Reply, type Route, route } from '../server/http.ts';
import { ownerOf } from '../server/tokens.ts';
import { type Point, pointsIn, reconciled, types } from './points.ts';
import type { HealthAccount, HealthWorld } from './state.ts';

const prefix = 'https://www.googleapis.com/auth/googlehealth.';
const perMinute = 300;
const minuteMs = 60_000;

/** An error in the format of this provider. */
export function failure(status: number, name: string, headers: Reply['headers'] = {}): Reply {
  return { status, headers, json: { error: { code: status, status: name, message: name } } };
}

/** Requests of each account in the last minute, by the wall clock, and the most that there were. */
export interface RequestCounts {
  readonly times: Map<string, number[]>;
  readonly highest: Map<string, number>;
}

/** The routes that read a user's data. */
export function healthApi(world: HealthWorld, counts: RequestCounts): Route[] {
  const path = '/googlehealth/v4/users/me';
  return [
    route('GET', `${path}/identity`, (request) => as(world, counts, request, 'profile', identity), 'api'),
    route(
      'GET',
      `${path}/dataTypes/:type/:call`,
      (request) => {
        const type = types[request.params.type ?? ''];
        // Types that are not simulated have no points.
        const scope = type?.scope ?? 'profile';
        return as(world, counts, request, scope, (account) => points(world, account, request));
      },
      'api',
    ),
  ];
}

function identity({ health_user_id }: HealthAccount): Reply {
  return ok({
    name: 'users/me/identity',
    healthUserId: health_user_id,
    legacyUserId: `old-${health_user_id}`,
  });
}

function as(
  world: HealthWorld,
  counts: RequestCounts,
  request: HttpRequest,
  scope: string,
  serve: (account: HealthAccount) => Reply,
): Reply {
  const found = ownerOf(world.own.googlehealth_accounts, world.clock, bearerOf(request));
  if (found === null || !found.holder.authorized) return failure(401, 'UNAUTHENTICATED');
  const waitSeconds = limit(counts, found.holder.health_user_id);
  if (waitSeconds > 0) return failure(429, 'RESOURCE_EXHAUSTED', { 'Retry-After': String(waitSeconds) });
  if (!found.grant.scope.includes(`${prefix}${scope}.readonly`)) return failure(403, 'PERMISSION_DENIED');
  return serve(found.holder);
}

// A sliding window: every request counts, refused ones too.
function limit({ times, highest }: RequestCounts, account: string): number {
  const nowMs = Date.now();
  const own = [...(times.get(account) ?? []).filter((ms) => ms > nowMs - minuteMs), nowMs];
  times.set(account, own);
  highest.set(account, Math.max(highest.get(account) ?? 0, own.length));
  return own.length > perMinute ? Math.max(1, Math.ceil(((own[0] ?? nowMs) + minuteMs - nowMs) / 1000)) : 0;
}

const mostPoints = 1000;

function points(world: HealthWorld, account: HealthAccount, { params, query }: HttpRequest): Reply {
  const { type = '', call = '' } = params;
  if (call !== 'dataPoints' && call !== 'dataPoints:reconcile') return failure(404, 'NOT_FOUND');
  const span = spanOf(query.get('filter') ?? '');
  if (span === null) return failure(400, 'INVALID_ARGUMENT');
  const isMerged = call.endsWith('reconcile');
  const all = selected(world, account, type, span);
  const found = isMerged ? reconciled(all) : all;
  const from = Number(query.get('pageToken') ?? 0);
  const size = Math.min(mostPoints, Number(query.get('pageSize') ?? mostPoints));
  const next = from + size < found.length ? { nextPageToken: String(from + size) } : {};
  return ok({
    dataPoints: found.slice(from, from + size).map((one) => shown(account, type, one, isMerged)),
    ...next,
  });
}

// A filter of sessions names their end.
function selected(world: HealthWorld, account: HealthAccount, type: string, span: Filter): Point[] {
  if (!span.isEnd) return pointsIn(world, account, type, span);
  const wider = { startMs: span.startMs - 86_400_000, endMs: span.endMs };
  return pointsIn(world, account, type, wider).filter(
    ({ endMs }) => endMs >= span.startMs && endMs < span.endMs,
  );
}

function shown({ health_user_id }: HealthAccount, type: string, point: Point, isMerged: boolean) {
  const { displayName, formFactor } = point.device;
  return {
    ...(isMerged ? {} : { name: `users/${health_user_id}/dataTypes/${type}/dataPoints/${point.id}` }),
    dataSource: {
      platform: 'FITBIT',
      ...(isMerged ? {} : { device: { displayName, formFactor, manufacturer: 'Sandbox' } }),
    },
    [point.member]: point.body,
  };
}

interface Filter {
  readonly startMs: number;
  readonly endMs: number;
  readonly isEnd: boolean;
}

const form = /^[a-z_0-9]+\.([a-z_.]+) >= "([^"]+)" AND [a-z_0-9.]+ < "([^"]+)"$/;

function spanOf(filter: string): Filter | null {
  const [, field = '', from = '', to = ''] = form.exec(filter) ?? [];
  const [startMs, endMs] = [Date.parse(from), Date.parse(to)];
  return Number.isNaN(startMs) || Number.isNaN(endMs)
    ? null
    : { startMs, endMs, isEnd: field === 'interval.end_time' };
}
