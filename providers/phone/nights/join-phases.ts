import { minuteMs } from '../../../domain/time/time.ts';
import type { SleepPhase } from '../normalise/sleep-phase.ts';

/** A stored phase. */
export interface NightPhase extends Omit<SleepPhase, 'source'> {
  readonly source: string;
  readonly device: string;
  readonly device_type: string;
}

/** Phases of one source without longer gaps. */
export interface PhaseGroup {
  readonly phases: readonly NightPhase[];
  readonly start_ms: number;
  readonly end_ms: number;
}

/** Phases with at most this gap between them belong to one night. */
const mostGapMs = 30 * minuteMs;

/** Joins the phases of each source to groups. */
export function joinPhases(phases: readonly NightPhase[]): PhaseGroup[] {
  return [...Map.groupBy(phases, ({ source }) => source).values()].flatMap(joinSource);
}

function joinSource(phases: readonly NightPhase[]): PhaseGroup[] {
  const groups: { phases: NightPhase[]; start_ms: number; end_ms: number }[] = [];
  for (const phase of phases.toSorted((a, b) => a.start_ms - b.start_ms)) {
    const last = groups.at(-1);
    if (last === undefined || phase.start_ms - last.end_ms > mostGapMs)
      groups.push({ phases: [phase], start_ms: phase.start_ms, end_ms: phase.end_ms });
    else {
      last.phases.push(phase);
      last.end_ms = Math.max(last.end_ms, phase.end_ms);
    }
  }
  return groups;
}

const deviceRanks = ['watch', 'ring', 'band', 'phone', 'scale', 'unknown', 'manual'];

/** Of groups that overlap, the best one: with stages before without, asleep before only in bed, then device, then length. */
export function chooseGroups(groups: readonly PhaseGroup[]): PhaseGroup[] {
  const chosen: PhaseGroup[] = [];
  for (const group of groups.toSorted(compareGroups)) {
    const next = firstThatEndsAfter(chosen, group.start_ms);
    if ((chosen[next]?.start_ms ?? Number.POSITIVE_INFINITY) >= group.end_ms) chosen.splice(next, 0, group);
  }
  return chosen;
}

/**
 * The chosen groups with the time in bed that another source noted: a phone writes it beside the stages of a watch. One that touches
 * several nights belongs to none of them.
 */
export function withTimeInBed(chosen: readonly PhaseGroup[], groups: readonly PhaseGroup[]): PhaseGroup[] {
  const nights = [...chosen];
  for (const group of groups) {
    if (chosen.includes(group) || detailOf(group) > 0 || !isInBed(group)) continue;
    const first = firstThatEndsAfter(nights, group.start_ms);
    const [night, next] = [nights[first], nights[first + 1]];
    if (night === undefined || night.start_ms >= group.end_ms || detailOf(night) === 0) continue;
    if (next !== undefined && next.start_ms < group.end_ms) continue;
    nights[first] = {
      phases: [...night.phases, ...group.phases],
      start_ms: Math.min(night.start_ms, group.start_ms),
      end_ms: Math.max(night.end_ms, group.end_ms),
    };
  }
  return nights;
}

const isInBed = ({ phases }: PhaseGroup) => phases.every(({ stage }) => stage === 'in_bed');

// Groups without an overlap end in the order in which they begin. A file may have hundreds of thousands.
function firstThatEndsAfter(chosen: readonly PhaseGroup[], ms: number): number {
  let [low, high] = [0, chosen.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chosen[middle]?.end_ms ?? 0) > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}

function compareGroups(a: PhaseGroup, b: PhaseGroup): number {
  return (
    detailOf(b) - detailOf(a) ||
    deviceRank(a) - deviceRank(b) ||
    b.end_ms - b.start_ms - (a.end_ms - a.start_ms) ||
    a.start_ms - b.start_ms
  );
}

function detailOf({ phases }: PhaseGroup): number {
  if (phases.some(({ stage }) => stage === 'deep' || stage === 'rem' || stage === 'light')) return 2;
  return phases.some(({ stage }) => stage === 'asleep') ? 1 : 0;
}

function deviceRank({ phases: [first] }: PhaseGroup): number {
  const rank = deviceRanks.indexOf(first?.device_type ?? 'unknown');
  return rank < 0 ? deviceRanks.length : rank;
}
