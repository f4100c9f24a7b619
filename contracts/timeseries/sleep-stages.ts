import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { Source, Timestamp, UserId } from '../../domain/wire.ts';
import { RecordId, StageInterval } from './schemas.ts';

/** A sleep session with the intervals of its stages. */
export const SleepStageIntervals = z
  .object({
    id: z.string(),
    start_time: Timestamp,
    end_time: Timestamp,
    source: Source,
    is_nap: z.boolean(),
    intervals: z
      .array(StageInterval)
      .nullable()
      .describe('Sorted by start, unchanged from the provider: they may have gaps. Null if it sent none.'),
  })
  .meta({
    id: 'SleepStageIntervals',
    description: 'A sleep session or nap with the intervals of its stages, as a hypnogram shows them.',
  });

/** The course of a night. */
export const sleepStageActions = {
  sleepStages: action({
    summary: 'Get the intervals of the stages of a sleep session or nap',
    description: '`intervals` is null for naps and nights whose provider sends no intervals.',
    params: z.object({ user_id: UserId, event_id: RecordId }),
    returns: SleepStageIntervals,
    http: {
      method: 'GET',
      path: '/users/:user_id/events/sleep/:event_id/stages',
      access: 'data.read',
      reads: 'sleep',
      tag: 'Data',
    },
  }),
};

export type SleepStageIntervals = z.infer<typeof SleepStageIntervals>;
