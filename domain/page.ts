import { z } from 'zod';

/** The `limit` parameter: a whole number from 1 to `most`, `preset` where it is left out. */
export function limitUpTo(most: number, preset = 50) {
  return z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\d{1,6}$/, `must be a whole number from 1 to ${most}`)
        .transform(Number),
    ])
    .pipe(
      z
        .int(`must be a whole number from 1 to ${most}`)
        .min(1, `must be at least 1`)
        .max(most, `must be at most ${most}`),
    )
    .default(preset);
}

/** The `cursor` parameter; what is in it is checked where it is used. */
export const CursorParameter = z.string().min(1).max(512).optional();

/** Where a page stands in its list. */
export const Pagination = z.object({
  next_cursor: z.string().nullable(),
  previous_cursor: z.string().nullable(),
  has_more: z.boolean(),
  total_count: z.int(),
});

/** What the page was computed from. */
export const PageMetadata = z.object({
  resolution: z.string().nullable(),
  sample_count: z.int(),
  start_time: z.string(),
  end_time: z.string(),
});

/** The envelope of every list that is paged by cursor. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), pagination: Pagination, metadata: PageMetadata });
}

export type Pagination = z.infer<typeof Pagination>;
export type PageMetadata = z.infer<typeof PageMetadata>;

/** A page of `T`, as `pageOf` describes it. */
export interface Page<T> {
  data: T[];
  pagination: Pagination;
  metadata: PageMetadata;
}
