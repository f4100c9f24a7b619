import { hash } from 'node:crypto';
import type { FileContent } from '../../../domain/provider/record-file.ts';
import { mostLaps } from '../../../domain/workouts/details.ts';
import { fitActivities, mostSessions } from '../../../providers/file/fit.ts';
import { readFitContent } from '../../../providers/file/fit-reader.ts';
import { readRecording, trackOf } from '../../../providers/file/recording.ts';
import { InputRefused } from '../../../runtime/reading-thread.ts';

/**
 * What a FIT file says of its workout, as file imports read it. Of a file that is cut off, what stands before. @throws InputRefused if it has
 * no activity
 */
export function fitContent(bytes: Buffer, nowMs: number): FileContent {
  const { parts } = readFitContent(bytes);
  const recordings = parts.flatMap(
    (part) => fitActivities(part, { nowMs, timeZone: null, room: mostSessions }).recordings,
  );
  // Route privacy is applied where the track is stored.
  const items = recordings.flatMap((recording) => {
    const entry = readRecording(recording, null, nowMs);
    return entry.kind === 'item' ? [entry.item] : [];
  });
  const [first, ...others] = items;
  if (first === undefined) throw new InputRefused('The file has no activity.');
  const isOne = others.length === 0;
  return {
    workout: isOne ? first.workout : null,
    details: isOne ? (first.extras?.details ?? {}) : {},
    laps: items.flatMap(({ extras }) => extras?.laps ?? []).slice(0, mostLaps),
    samples: items.flatMap(({ samples }) => samples),
    track: trackOf(recordings.flatMap(({ points }) => points)),
    hash: hash('sha256', bytes, 'base64url'),
  };
}
