import type { Destination } from '../../../../clients/typescript/src/index.ts';
import { placeOf, stateSentence } from '../../destination-texts.ts';
import type { Problem } from './problems.ts';

/** Changes that wait for longer are late, beyond the time in which a file is written at most once. */
const lateSeconds = 900;

/** Destinations that fail or were paused automatically, and those that are behind without failing. A project has at most ten. */
export function destinationProblems(all: readonly Destination[], nowMs: number): Problem[] {
  return all.flatMap((one) => {
    const found = problemOf(one);
    if (found === null) return [];
    const { severity, does } = found;
    const lateSince = new Date(nowMs - one.lag_seconds * 1000).toISOString();
    return {
      severity,
      what: `The destination ${placeOf(one)} ${does}`,
      means: `${stateSentence(one)} Nothing is lost.`,
      since: one.failing_since ?? (one.state === 'paused' ? one.updated_at : lateSince),
      action: { text: 'Open the destination', to: `/destinations/${one.id}`, needs: 'destinations.read' },
    };
  });
}

function problemOf(
  one: Destination,
): { readonly severity: Problem['severity']; readonly does: string } | null {
  if (one.state === 'failing') return { severity: 'bad', does: 'fails' };
  if (one.paused_reason === 'key_deleted') return { severity: 'bad', does: 'is paused' };
  const intervalSeconds = Number(one.settings.interval_seconds ?? 0);
  const isLate = one.snapshot_complete && one.lag_seconds > lateSeconds + intervalSeconds;
  return isLate && one.state !== 'paused' ? { severity: 'warn', does: 'is behind' } : null;
}
