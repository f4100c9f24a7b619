import { type HttpRequest, type Reply, type Route, route } from '../server/http.ts';
import { asAthlete, failure } from './accounts.ts';
import { activityOf, detailedOf, streamsOf, summaryOf, type Uploaded, uploadsIn } from './activities.ts';
import { limited, type ReadLimits } from './limits.ts';
import type { ActivitynetAccount, ActivitynetWorld } from './state.ts';

const dayMs = 86_400_000;
/** Lists do not go back further. */
const keptMs = 2 * 365 * dayMs;
const perPageMost = 200;

/** The routes that read an athlete's data. */
export function activitynetApi(world: ActivitynetWorld, limits: ReadLimits): Route[] {
  const get = (path: string, serve: (account: ActivitynetAccount, request: HttpRequest) => Reply): Route => {
    const handle = (request: HttpRequest) =>
      asAthlete(world, request, (account, { scope }) =>
        path === '/athlete' || canRead(scope)
          ? serve(account, request)
          : failure(401, 'Authorization Error', 'AccessToken', 'activity:read_permission', 'missing'),
      );
    return route(
      'GET',
      `/activitynet/api/v3${path}`,
      (request) => limited(limits, () => handle(request)),
      'api',
    );
  };
  return [
    get('/athlete', (account) => {
      const [firstname, lastname] = world.user(account.person).traits.title;
      return { status: 200, json: { id: account.athlete_id, firstname, lastname } };
    }),
    get('/athlete/activities', (account, { query }) => list(world, account, query)),
    get('/activities/:id', (account, { params }) => one(world, account, params.id ?? '')),
    get('/activities/:id/streams', (account, { params, query }) =>
      streams(world, account, params.id ?? '', query),
    ),
  ];
}

function canRead(scope: readonly string[]): boolean {
  return scope.some((name) => name.startsWith('activity:read'));
}

/** The existing activities of an account, oldest first. */
export function activitiesOf(
  { clock, user }: ActivitynetWorld,
  account: ActivitynetAccount,
  fromMs: number,
  toMs: number,
): Uploaded[] {
  const nowMs = clock.nowMs();
  const span = { startMs: Math.max(fromMs, nowMs - keptMs), endMs: Math.min(toMs, nowMs) };
  return uploadsIn(user(account.person), span).filter(
    ({ id, uploadedMs }) => uploadedMs <= nowMs && !account.deleted.includes(id),
  );
}

// Newest first, or oldest first if `after` is given, as the real API does.
function list(world: ActivitynetWorld, account: ActivitynetAccount, query: URLSearchParams): Reply {
  const after = numberOf(query.get('after'), Number.NaN);
  const page = numberOf(query.get('page'), 1);
  const perPage = Math.min(perPageMost, numberOf(query.get('per_page'), 30));
  if (page < 1 || perPage < 1) return failure(400, 'Bad Request', 'Page', 'page', 'invalid');
  const before = numberOf(query.get('before'), 1e11) * 1000;
  const fromMs = Number.isNaN(after) ? Number.NEGATIVE_INFINITY : after * 1000 + 1;
  const all = activitiesOf(world, account, fromMs, before);
  const ordered = Number.isNaN(after) ? all.toReversed() : all;
  const chosen = ordered.slice((page - 1) * perPage, page * perPage);
  return { status: 200, json: chosen.flatMap((upload) => summarised(world, account, upload)) };
}

function summarised(world: ActivitynetWorld, account: ActivitynetAccount, upload: Uploaded) {
  const activity = activityOf(world.user(account.person), upload);
  if (activity === null) return [];
  recordSeen(world, account, upload.id);
  return [summaryOf(detailedOf(activity, account.titles[upload.id]))];
}

/** An activity of an account; null if it does not exist or was deleted. */
function findActivity(world: ActivitynetWorld, account: ActivitynetAccount, id: string) {
  const nowMs = world.clock.nowMs();
  const upload = activitiesOf(world, account, nowMs - keptMs, nowMs).find((each) => String(each.id) === id);
  return upload === undefined ? null : activityOf(world.user(account.person), upload);
}

function one(world: ActivitynetWorld, account: ActivitynetAccount, id: string): Reply {
  const activity = findActivity(world, account, id);
  if (activity === null) return failure(404, 'Record Not Found', 'Activity', 'id', 'invalid');
  recordSeen(world, account, activity.upload.id);
  return { status: 200, json: detailedOf(activity, account.titles[activity.upload.id]) };
}

function streams(
  world: ActivitynetWorld,
  account: ActivitynetAccount,
  id: string,
  query: URLSearchParams,
): Reply {
  const activity = findActivity(world, account, id);
  if (activity === null) return failure(404, 'Record Not Found', 'Activity', 'id', 'invalid');
  const keys = (query.get('keys') ?? '').split(',');
  const chosen = Object.entries(streamsOf(activity)).filter(([key]) => keys.includes(key));
  const made = chosen.map(([type, data]) => ({
    type,
    data,
    series_type: 'time',
    original_size: data.length,
    resolution: 'high',
  }));
  if (query.get('key_by_type') !== 'true') return { status: 200, json: made };
  return { status: 200, json: Object.fromEntries(made.map(({ type, ...rest }) => [type, rest])) };
}

/** Records that the application has seen an activity. */
export function recordSeen({ store }: ActivitynetWorld, account: ActivitynetAccount, id: number): void {
  if (account.told.includes(id)) return;
  account.told.push(id);
  store.touch();
}

function numberOf(text: string | null, otherwise: number): number {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : otherwise;
}
