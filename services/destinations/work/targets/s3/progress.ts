import { z } from 'zod';
import { dayMs } from '../../../../../domain/time/time.ts';
import type { DestinationRow } from '../../../tables/destinations.ts';
import type { HourlyDays } from '../../../tables/partitions.ts';
import { bucketUrl, type S3Settings } from './client.ts';

/** How far a bucket has come. */
export const Progress = z.object({
  /** The bucket and prefix that the rest is about. */
  place: z.string().default(''),
  /** The number of the last commit. */
  commit: z.int().default(0),
  committed_ms: z.number().default(0),
  /** All changes up to this id have marked their files. */
  followed: z.string().nullable().default(null),
  /** Whether the last commit left files that could have been written. */
  has_backlog: z.boolean().default(false),
  /** Whether the copy begins anew. */
  reset: z.boolean().default(false),
});
export type Progress = z.infer<typeof Progress>;

/** How far the list of stored data has come: users up to `after` are listed, all if `listed`. */
export const Listing = z.object({
  after: z.string().nullable().default(null),
  listed: z.boolean().default(false),
});

/** The progress of a destination, with the id up to which changes were followed. */
export function progressOf({ progress, position }: DestinationRow): Progress & { readonly followed: string } {
  const parsed = Progress.parse(progress);
  return { ...parsed, followed: parsed.reset ? position : (parsed.followed ?? position) };
}

/** The place of the files. */
export function placeOf(settings: S3Settings): string {
  return `${bucketUrl(settings).href}/${settings.prefix}`;
}

/** The days that have a file for each hour. Tomorrow is one of them, because clocks differ. */
export function hourlyDays({ hourly_days }: S3Settings, nowMs: number): HourlyDays {
  const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return { first: dateOf(nowMs - hourly_days * dayMs), last: dateOf(nowMs + dayMs) };
}

/** The key of an object in the bucket. */
export function keyOf({ prefix }: S3Settings, name: string): string {
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** The folders of what is written, besides `manifest.json`. */
export const folders = ['type=', 'manifests/'] as const;
