import type { SampleBlock } from '../../../domain/records/records.ts';
import type { PhoneRecord } from '../../../providers/phone/normalise/record.ts';

/** A series of a part: its samples in the order of the file. */
interface Columns extends Pick<SampleBlock, 'type' | 'device' | 'zone_offset_minutes'> {
  readonly times: number[];
  readonly values: number[];
}

/** Gathers samples as columns: a record with its objects takes ten times the memory, and each collection copies it. */
export class SampleColumns {
  readonly #groups = new Map<string, Columns>();
  #last: Columns | null = null;

  add({ series, source: { device }, zone_offset_minutes, start_ms, value }: PhoneRecord): void {
    const last = this.#last;
    const isSame =
      last?.type === series && last.device === device && last.zone_offset_minutes === zone_offset_minutes;
    const columns = isSame ? last : this.#groupOf(series, device, zone_offset_minutes);
    columns.times.push(start_ms);
    columns.values.push(value);
    this.#last = columns;
  }

  #groupOf(type: Columns['type'], device: string, zone_offset_minutes: number | null): Columns {
    const key = `${type}\0${zone_offset_minutes}\0${device}`;
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const columns = { type, device, zone_offset_minutes, times: [], values: [] };
    this.#groups.set(key, columns);
    return columns;
  }

  /** Blocks in the order of time. Of several samples at one instant the last one counts. */
  blocks(): SampleBlock[] {
    return [...this.#groups.values()].map(blockOf);
  }
}

function blockOf({ times, values, ...series }: Columns): SampleBlock {
  const places = isAscending(times) ? null : orderedPlaces(times);
  const [sorted, kept] = places === null ? [times, values] : [placed(times, places), placed(values, places)];
  const base_ms = sorted[0] ?? 0;
  return { ...series, base_ms, at: sorted.map((ms) => ms - base_ms), values: kept };
}

function isAscending(times: readonly number[]): boolean {
  return times.every((ms, index) => index === 0 || ms > (times[index - 1] ?? ms));
}

function orderedPlaces(times: readonly number[]): number[] {
  const lastAt = new Map(times.map((ms, index) => [ms, index]));
  return [...lastAt].toSorted(([a], [b]) => a - b).map(([, index]) => index);
}

function placed(numbers: readonly number[], places: readonly number[]): number[] {
  return places.map((place) => numbers[place] ?? 0);
}
