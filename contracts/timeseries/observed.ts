import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { observedNames } from '../../domain/fhir/observed.ts';
import { CalendarDate } from '../../domain/time/time.ts';
import { recordingMethod, SortOrder, Source, UserId } from '../../domain/wire.ts';

/** The kind of an Observation. */
const ObservedName = z.enum(observedNames);

/** What one Observation is made of. */
export const Observed = z.object({
  name: ObservedName,
  /** Unique among those of the user, and unchanged as long as the data is. */
  key: z.string(),
  /** The local day. */
  date: z.string(),
  start_ms: z.number(),
  end_ms: z.number().nullable(),
  zone_offset_minutes: z.int().nullable(),
  source: Source,
  ...recordingMethod,
  /** In our unit. Null: `raster` or `fields` hold the values. */
  value: z.number().nullable(),
  raster: z.object({ period_ms: z.number(), data: z.string() }).nullable(),
  /** The parts of a panel or of a record. */
  fields: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])).nullable(),
});

/** The position of an observation in the order of its user: local day, start, key. */
export const ObservedPosition = z.tuple([z.string(), z.number(), z.string()]);

const ofUser = { user_id: UserId };

/** The data of a user as Observations. */
export const observedActions = {
  /** A page has at most `limit` items, and fewer if they are large. `next` is null on the last one. */
  observed: action({
    summary: 'Read the data of a user as observations, by local day',
    params: z.object({
      ...ofUser,
      names: z.array(ObservedName).max(observedNames.length).nullable(),
      first_date: CalendarDate.nullable(),
      last_date: CalendarDate.nullable(),
      order: SortOrder,
      after: ObservedPosition.nullable(),
      limit: z.int().min(1).max(500),
    }),
    returns: z.object({ items: z.array(Observed), next: ObservedPosition.nullable() }),
    idempotent: true,
    timeoutMs: 15_000,
  }),
  observedItem: action({
    summary: 'Read one observation of a user by its key',
    params: z.object({ ...ofUser, key: z.string().max(60) }),
    returns: Observed.nullable(),
    idempotent: true,
    timeoutMs: 15_000,
  }),
  observedSources: action({
    summary: 'List the providers and devices that a user has data of',
    params: z.object(ofUser),
    returns: z.array(Source),
    idempotent: true,
  }),
};

export type Observed = z.infer<typeof Observed>;
export type ObservedPosition = z.infer<typeof ObservedPosition>;
