import { createHash } from 'node:crypto';
import type { SleepRecord } from '../../../domain/records/records.ts';
import type { PhaseGroup } from '../../../providers/phone/nights/join-phases.ts';
import { sessionOf } from '../../../providers/phone/nights/night-session.ts';

/** A night as it is stored. */
export interface NightRow {
  id: string;
  start_ms: number;
  end_ms: number;
  asleep_seconds: number;
  is_nap: boolean;
  hash: string;
}

/** A night with its session. */
export interface PlannedNight {
  readonly row: NightRow;
  readonly session: SleepRecord;
}

/** What has to change so that the stored nights are those of the phases. */
interface NightPlan {
  /** Nights whose stored session must go before: they vanish, or a new session would lose against a longer stored one. */
  readonly removed: readonly string[];
  readonly stored: readonly PlannedNight[];
}

/**
 * Compares groups with stored nights. A group takes the id of the night that it overlaps most, so that a late phase changes
 * its night instead of adding one.
 */
export function planNights(
  groups: readonly PhaseGroup[],
  nights: readonly NightRow[],
  newId: () => string,
): NightPlan {
  const left = new Map(nights.map((night) => [night.id, night]));
  const removed: string[] = [];
  const stored: PlannedNight[] = [];
  for (const group of groups) {
    const session = sessionOf(group);
    const former = mostOverlapping(group, [...left.values()]);
    if (former !== undefined) left.delete(former.id);
    const hash = createHash('sha256').update(JSON.stringify(session)).digest('base64url');
    if (former?.hash === hash) continue;
    const { start_ms, end_ms, asleep_seconds, is_nap } = session;
    const row = {
      id: former?.id ?? newId(),
      start_ms,
      end_ms,
      is_nap,
      hash,
      asleep_seconds: asleep_seconds ?? 0,
    };
    if (former !== undefined && isLess(row, former)) removed.push(former.id);
    stored.push({ row, session });
  }
  return { removed: [...removed, ...left.keys()], stored };
}

function mostOverlapping(group: PhaseGroup, nights: readonly NightRow[]): NightRow | undefined {
  const overlap = (night: NightRow) =>
    Math.min(night.end_ms, group.end_ms) - Math.max(night.start_ms, group.start_ms);
  return nights.filter((night) => overlap(night) > 0).toSorted((a, b) => overlap(b) - overlap(a))[0];
}

// Of two versions of a session the store keeps the longer one, and naps are compared with naps only.
function isLess(row: NightRow, former: NightRow): boolean {
  const span = (night: NightRow) => night.end_ms - night.start_ms;
  return (
    row.is_nap !== former.is_nap || row.asleep_seconds < former.asleep_seconds || span(row) < span(former)
  );
}
