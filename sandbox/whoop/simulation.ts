import { isoTime } from '../../domain/time/time.ts';
import type { SimulatedDay } from '../day-simulation/day.ts';
import { stageTotals } from '../day-simulation/night.ts';
import { endAccess } from '../listed/access.ts';
import type { ListedAccount, ListedKind, ListedRecord, ListedRoute, ListedWorld } from '../listed/listed.ts';
import { failure, recordsIn, spanOf, tokenPage } from '../listed/records.ts';
import { listedSimulation } from '../listed/simulation.ts';
import { type HttpRequest, ok, type Reply } from '../server/http.ts';
import { hashOf } from '../simulation/random.ts';

const hourMs = 3_600_000;

/** An id in the form of a UUID, the same for the same record. */
function uuidOf(text: string): string {
  const hex = [0, 1, 2, 3].map((part) => hashOf(`${text}/${part}`).toString(16).padStart(8, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

const offsetOf = ({ offset_minutes: minutes }: SimulatedDay) => {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
};
const idOf = (day: SimulatedDay, name: string) => uuidOf(`${day.user.seed}/${day.date}/${name}`);
const cycleIdOf = (day: SimulatedDay) => hashOf(`${day.user.seed}/${day.date}/cycle`) % 1_000_000_000;

function recordOf(
  day: SimulatedDay,
  id: string,
  span: { readonly startMs: number; readonly endMs: number },
  more: Readonly<Record<string, unknown>>,
): ListedRecord {
  const availableMs = span.endMs + hourMs / 2;
  const times = { start: isoTime(span.startMs), end: isoTime(span.endMs), timezone_offset: offsetOf(day) };
  const stamps = { created_at: isoTime(availableMs), updated_at: isoTime(availableMs) };
  return { id, ...span, availableMs, fields: { id, ...stamps, ...times, score_state: 'SCORED', ...more } };
}

const sleepScore = (version: number) => Math.min(100, 80 + version);

const kinds: Readonly<Record<string, ListedKind>> = {
  cycle: {
    scope: 'read:cycles',
    kind: 'other',
    device: 'WHOOP',
    of: (day) => {
      const end = day.sleep?.endMs ?? day.startMs + 7 * hourMs;
      const span = { startMs: end - 24 * hourMs, endMs: end };
      const score = { strain: 11.4, kilojoule: 8288.3, average_heart_rate: 68, max_heart_rate: 141 };
      const made = recordOf(day, String(cycleIdOf(day)), span, { score });
      return [{ ...made, fields: { ...made.fields, id: cycleIdOf(day) } }];
    },
  },
  sleep: {
    scope: 'read:sleep',
    kind: 'sleeps',
    device: 'WHOOP',
    of: (day, { versionOf }) => {
      if (day.sleep === null) return [];
      const id = idOf(day, 'sleep');
      const { deep, light, rem, awake, unmeasurable } = stageTotals(day.sleep.stages);
      const stage_summary = {
        total_in_bed_time_milli: day.sleep.endMs - day.sleep.startMs,
        total_awake_time_milli: awake,
        total_no_data_time_milli: unmeasurable,
        total_light_sleep_time_milli: light,
        total_slow_wave_sleep_time_milli: deep,
        total_rem_sleep_time_milli: rem,
        sleep_cycle_count: 4,
        disturbance_count: 9,
      };
      const score = {
        stage_summary,
        respiratory_rate: 15.2,
        sleep_performance_percentage: sleepScore(versionOf(id)),
        sleep_consistency_percentage: 90,
        sleep_efficiency_percentage: 91.6,
      };
      const made = recordOf(day, id, day.sleep, { nap: false, cycle_id: cycleIdOf(day), score });
      return [{ ...made, samples: [['respiratory_rate', day.sleep.startMs, 15.2]] }];
    },
  },
  recovery: {
    scope: 'read:recovery',
    kind: 'other',
    device: 'WHOOP',
    of: (day) => {
      if (day.sleep === null) return [];
      const atMs = day.sleep.endMs + hourMs / 2;
      const resting = Math.round(day.resting_heart_rate_bpm);
      const { hrv_rmssd_ms: hrv } = day.user.traits;
      const score = {
        user_calibrating: false,
        recovery_score: 62,
        resting_heart_rate: resting,
        hrv_rmssd_milli: hrv,
      };
      const created_at = isoTime(atMs);
      const fields = {
        cycle_id: cycleIdOf(day),
        sleep_id: idOf(day, 'sleep'),
        created_at,
        updated_at: created_at,
      };
      return [
        {
          id: idOf(day, 'sleep'),
          startMs: atMs,
          endMs: atMs,
          availableMs: atMs,
          fields: { ...fields, score_state: 'SCORED', score },
          samples: [
            ['resting_heart_rate', atMs, resting],
            ['heart_rate_variability_rmssd', atMs, hrv],
          ],
        },
      ];
    },
  },
  workout: {
    scope: 'read:workout',
    kind: 'workouts',
    device: 'WHOOP',
    of: (day, { recorded }) => {
      const planned = day.workouts.map((one) => ({ ...one, sport: one.plan.sport }));
      const added = recorded.map((one) => ({
        ...one,
        sport: 'running',
        avg_heart_rate_bpm: 140,
        max_heart_rate_bpm: 155,
      }));
      return [...planned, ...added].map((one) => {
        const id = idOf(day, `workout/${one.startMs}`);
        const { avg_heart_rate_bpm: average_heart_rate, max_heart_rate_bpm: max_heart_rate } = one;
        const score = {
          strain: 8.2,
          average_heart_rate,
          max_heart_rate,
          kilojoule: 1569.3,
          percent_recorded: 100,
        };
        const made = recordOf(day, id, one, { sport_id: 0, sport_name: one.sport, score });
        return { ...made, availableMs: one.endMs };
      });
    },
  },
};

const paths = {
  cycle: '/v2/cycle',
  sleep: '/v2/activity/sleep',
  recovery: '/v2/recovery',
  workout: '/v2/activity/workout',
};
const mostPerPage = 25;

function page(world: ListedWorld, account: ListedAccount, kind: string, request: HttpRequest): Reply {
  const span = spanOf(request, 'start', 'end', 'instant');
  const size = Number(request.query.get('limit') ?? 10);
  if (span === null || size > mostPerPage) return failure(400, 'invalid_request');
  const found = recordsIn(world, account, kind, span).toReversed();
  const { fields, next } = tokenPage(found, request.query.get('nextToken'), size);
  return ok({ records: fields.map((one) => ({ user_id: Number(account.id), ...one })), next_token: next });
}

function routes(world: ListedWorld): ListedRoute[] {
  const lists = Object.entries(paths).map(
    ([kind, path]): ListedRoute => ({
      method: 'GET',
      path,
      scope: kinds[kind]?.scope ?? null,
      handle: (account, request) => page(world, account, kind, request),
    }),
  );
  return [
    ...lists,
    {
      method: 'GET',
      path: '/v2/user/profile/basic',
      scope: null,
      handle: ({ id }) =>
        ok({ user_id: Number(id), email: 'runner@example.com', first_name: 'Weekday', last_name: 'Runner' }),
    },
    {
      method: 'DELETE',
      path: '/v2/user/access',
      scope: null,
      handle: (account) => {
        endAccess(world, account);
        return { status: 204 };
      },
    },
  ];
}

const notified: Readonly<Record<string, string>> = {
  sleep: 'sleep',
  recovery: 'recovery',
  workout: 'workout',
};

/** A maker of bands that lists scored nights, recoveries, cycles and workouts. Cycles are not notified. */
export const whoop = listedSimulation({
  name: 'whoop',
  title: 'WHOOP',
  hasAccount: ({ key }) => key === 'shift-worker',
  scopes: ['read:recovery', 'read:cycles', 'read:sleep', 'read:workout', 'read:profile', 'offline'],
  kinds,
  authorizePath: '/oauth/oauth2/auth',
  tokenPath: '/oauth/oauth2/token',
  refresh: 'rotates',
  settings: (base, { client_id, client_secret }) => ({
    WHOOP_API_URL: base,
    WHOOP_AUTHORIZE_URL: `${base}/oauth/oauth2/auth`,
    WHOOP_TOKEN_URL: `${base}/oauth/oauth2/token`,
    WHOOP_CLIENT_ID: client_id,
    WHOOP_CLIENT_SECRET: client_secret,
  }),
  eventOf: ({ id: user }, { type, id, operation }) => {
    const name = notified[type];
    if (name === undefined) return null;
    const event = `${name}.${operation === 'delete' ? 'deleted' : 'updated'}`;
    return { user_id: Number(user), id, type: event, trace_id: uuidOf(`${id}/${operation}`) };
  },
  signature: {
    header: 'X-WHOOP-Signature',
    time: { header: 'X-WHOOP-Signature-Timestamp', of: String },
    encoding: 'base64',
    with: 'client',
  },
  webhookPath: '/events',
  routes,
});
