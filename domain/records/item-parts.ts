import type { TrackChunk } from '../workouts/track.ts';
import type { SampleBlock, StoreItem } from './records.ts';

/** A sample has at most 30 characters of JSON in its two columns, so a part is smaller than 256 KB. */
const samplesPerPart = 8000;

/** A part contains chunks of a track of less than this, unless one chunk is larger. */
const trackBytesPerPart = 150_000;

/**
 * Splits an item with many samples into parts for separate calls. The first part contains the records, the last ones the track. All parts except the
 * last are marked as incomplete; the last one marks the item as stored.
 */
export function partsOf(item: StoreItem, most = samplesPerPart): StoreItem[] {
  const tracks = trackLoads(item.track);
  const loads = [
    ...loadsOf(item.samples, most).map((samples) => ({ samples, track: noTrack })),
    ...tracks.map((track) => ({ samples: [], track })),
  ];
  const later = { ...item, workout: null, sleeps: [], day: null, epoch: null, other: null, extras: null };
  return loads.map((load, part) => ({
    ...(part === 0 ? item : later),
    ...load,
    part,
    more: part < loads.length - 1,
  }));
}

const noTrack: TrackChunk[] = [];

function trackLoads(chunks: readonly TrackChunk[]): TrackChunk[][] {
  const loads: TrackChunk[][] = [];
  let free = 0;
  for (const chunk of chunks) {
    const bytes = JSON.stringify(chunk).length;
    if (bytes > free) {
      loads.push([]);
      free = trackBytesPerPart;
    }
    loads.at(-1)?.push(chunk);
    free -= bytes;
  }
  return loads;
}

function loadsOf(blocks: readonly SampleBlock[], most: number): SampleBlock[][] {
  const loads: SampleBlock[][] = [[]];
  let free = most;
  for (const block of blocks) {
    for (let from = 0; from < block.at.length; ) {
      if (free === 0) {
        loads.push([]);
        free = most;
      }
      const to = Math.min(block.at.length, from + free);
      loads.at(-1)?.push({ ...block, at: block.at.slice(from, to), values: block.values.slice(from, to) });
      free -= to - from;
      from = to;
    }
  }
  return loads;
}
