import t from 'tap';
import {
  chooseGroups,
  joinPhases,
  type NightPhase,
  type PhaseGroup,
} from '../../../providers/phone/nights/join-phases.ts';
import { sessionOf } from '../../../providers/phone/nights/night-session.ts';
import type { PhaseStage } from '../../../providers/phone/normalise/sleep-phase.ts';
import { planNights } from '../../../services/phone-ingest/rules/night-plan.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const midnightMs = Date.UTC(2026, 2, 2);
/** The offset of Los Angeles in winter: minutes west of UTC are negative. */
const west = -480;

function phase(
  stage: PhaseStage,
  fromHour: number,
  toHour: number,
  offset: number | null = null,
): NightPhase {
  const [start_ms, end_ms] = [midnightMs + fromHour * hourMs, midnightMs + toHour * hourMs];
  const id = `${stage} ${fromHour}`;
  const source = { source: 'watch', device: 'Watch', device_type: 'watch' };
  return { id, ...source, stage, start_ms, end_ms, zone_offset_minutes: offset, score: null };
}

const sessionsOf = (...phases: readonly NightPhase[]) => joinPhases(phases).map(sessionOf);

t.test('a nap is found by the hour at the place of the user', async (t) => {
  // 20:00 UTC is noon in Los Angeles, 06:00 UTC is 22:00.
  t.match(sessionsOf(phase('asleep', 20, 21, west)), [{ is_nap: true }]);
  t.match(sessionsOf(phase('asleep', 6, 7, west)), [{ is_nap: false }]);
  t.match(sessionsOf(phase('asleep', 12, 13)), [{ is_nap: false }], 'the hour is not known');
});

t.test('a gap of half an hour belongs to a night, and a longer one ends it', async (t) => {
  t.equal(sessionsOf(phase('light', 0, 2), phase('light', 2.5, 4)).length, 1);
  t.equal(sessionsOf(phase('light', 0, 2), phase('light', 2.5 + minuteMs / hourMs, 4)).length, 2);
});

// `asleep` counts more than `in_bed`, and the longer one of equals.
t.test('of groups that overlap one is chosen, and groups that touch are all chosen', async (t) => {
  const group = (stage: PhaseStage, from: number, to: number) => {
    const phases = [phase(stage, from, to)];
    return { phases, start_ms: phases[0]?.start_ms ?? 0, end_ms: phases[0]?.end_ms ?? 0 };
  };
  const spans = (groups: readonly PhaseGroup[]) =>
    chooseGroups(groups).map(({ start_ms, end_ms }) => [
      (start_ms - midnightMs) / hourMs,
      (end_ms - midnightMs) / hourMs,
    ]);
  const night = group('asleep', 4, 8);
  t.same(spans([group('in_bed', 0, 9), night]), [[4, 8]]);
  t.same(spans([night, group('asleep', 7, 10), group('asleep', 2, 5)]), [[4, 8]]);
  t.same(spans([night, group('asleep', 8, 9), group('asleep', 2, 4), group('in_bed', 5, 6)]), [
    ...[
      [2, 4],
      [4, 8],
      [8, 9],
    ],
  ]);
  t.same(spans([night, group('in_bed', 4, 4), group('in_bed', 6, 6), group('in_bed', 8, 8)]), [
    ...[
      [4, 4],
      [4, 8],
      [8, 8],
    ],
  ]);
});

// A comparison of each group with all chosen ones takes minutes.
t.test('the nights of a file with very many groups are chosen', async (t) => {
  const groups = Array.from({ length: 400_000 }, (_, at) => {
    const [start_ms, end_ms] = [at * hourMs, at * hourMs + minuteMs];
    return { phases: [], start_ms, end_ms };
  });
  t.equal(chooseGroups(groups).length, groups.length);
});

t.test('time awake is not asleep, also where only the time in bed is known', async (t) => {
  const [night] = sessionsOf(phase('in_bed', 0, 8), phase('awake', 1, 2));
  t.match(night, { asleep_seconds: 7 * 3600, awake_seconds: 3600 });
  const [bed] = sessionsOf(phase('in_bed', 0, 8));
  t.match(bed, { asleep_seconds: null, awake_seconds: null }, 'the time in bed is no time asleep');
});

t.test('a night that becomes a nap replaces what was stored', async (t) => {
  const plan = (offset: number | null, nights: Parameters<typeof planNights>[1] = []) =>
    planNights(joinPhases([phase('asleep', 20, 21, offset)]), nights, () => 'new');
  const before = plan(null).stored.map(({ row }) => row);
  t.match(plan(west, before), { removed: ['new'], stored: [{ row: { id: 'new', is_nap: true } }] });
  t.match(plan(null, before), { removed: [], stored: [] });
});
