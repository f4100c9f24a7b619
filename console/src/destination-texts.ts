import type { Destination, DestinationKind } from '../../clients/typescript/src/index.ts';
import { waits } from './endpoint-texts.ts';

/** What a kind is called, and the settings that name its place. */
export const kinds: Readonly<Record<DestinationKind, { title: string; place: readonly string[] }>> = {
  s3: { title: 'S3 bucket', place: ['bucket', 'prefix'] },
  postgres: { title: 'PostgreSQL', place: ['host', 'database', 'schema'] },
  jetstream: { title: 'NATS JetStream', place: ['stream', 'subject_prefix'] },
};

/** The server counts no further. */
const mostCounted = 100_000;

/** `12 changes wait, the oldest for 3 min`; null if none waits. */
export function behindText({
  changes_behind,
  lag_seconds,
}: Pick<Destination, 'changes_behind' | 'lag_seconds'>): string | null {
  return waits('change', changes_behind, lag_seconds, mostCounted);
}

/** Where a destination writes, in few words: `health-data/pulsebus`. */
export function placeOf({ kind, settings }: Pick<Destination, 'kind' | 'settings'>): string {
  return kinds[kind].place
    .map((name) => String(settings[name] ?? ''))
    .filter((text) => text !== '')
    .join('/');
}

/** What a destination does, in a word. */
export const stateWord = ({ state }: Pick<Destination, 'state'>) => state.replaceAll('_', ' ');

/** What a destination does, in a sentence: why it is behind, and by how much. */
export function stateSentence(one: Destination): string {
  const behind = one.snapshot_complete ? behindText(one) : 'The copy of the stored data is not complete';
  const more = behind === null ? '' : ` ${behind}.`;
  if (one.state === 'paused') return `${pauses[one.paused_reason ?? 'request']}${more}`;
  if (one.state === 'failing')
    return `${one.last_error?.message ?? 'The last attempt failed.'} It is tried again.${more}`;
  if (!one.snapshot_complete) return 'The stored data is being copied. Changes follow it.';
  return more.trim() || 'Everything is copied.';
}

const pauses: Readonly<Record<NonNullable<Destination['paused_reason']>, string>> = {
  request: 'Paused by a developer.',
  key_deleted: 'The API key that had set its place was deleted.',
};
