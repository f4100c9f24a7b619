import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { CursorParameter, limitUpTo, pageOf } from '../../domain/page.ts';
import { ScoreKind } from '../../domain/records/scores.ts';
import { RangeEnd, RangeStart } from '../../domain/time/time.ts';
import { Source, Timestamp, UserId, ZoneOffset } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { ComputedScore } from '../insights/schemas.ts';

/** A score that a provider computed. */
export const Score = z
  .object({
    id: z
      .string()
      .describe('Stays the same when the score changes. That of a sleep session is the `id` of the session.'),
    kind: ScoreKind,
    value: z.number().nullable().describe('Null where the provider gives only a word, or only components.'),
    label: z.string().nullable().describe("The provider's word for it."),
    components: z
      .record(z.string(), z.union([z.number(), z.string(), z.null()]))
      .describe(
        "The parts of the score, by the provider's own names: a number, or a word if there is no number.",
      ),
    source: Source,
    date: z.string().meta({ format: 'date', description: 'The local day of the score, YYYY-MM-DD.' }),
    start_time: Timestamp,
    end_time: Timestamp,
    zone_offset: ZoneOffset,
  })
  .meta({
    id: 'Score',
    description:
      'A figure or a word that a provider computed from other data, such as readiness or strain. Scores of two providers are not comparable.',
  });

export type Score = z.infer<typeof Score>;

/** The kinds of scores that Pulsebus computes too. */
const ScoreCategory = z
  .enum(['sleep', 'resilience'])
  .describe(
    'Only scores of this kind, and beside them those that Pulsebus computes. It takes the place of `kind`.',
  );
export type ScoreCategory = z.infer<typeof ScoreCategory>;

/** The scores of users. */
export const scoreActions = {
  scores: action({
    summary: 'List scores, newest day first',
    description:
      'Scores that a provider computed, each with its components. Scores of sleep sessions (`sleep`), and stress and body battery from the values of days, are among them. A date is a local day of the user. An instant selects the UTC dates that the range touches. Of one day, the scores that start last come first. With `category`, the first page also has `computed`: the scores that Pulsebus computes of the days of the range, by published methods.',
    params: z.object({
      user_id: UserId,
      start_date: RangeStart.meta({
        description: 'First local day of the range (YYYY-MM-DD), or an instant on it.',
        example: '2026-01-01',
      }),
      end_date: RangeEnd.meta({
        description:
          'Last local day of the range (YYYY-MM-DD), included, or an instant at which the range ends.',
        example: '2026-01-02',
      }),
      kind: ScoreKind.optional().describe('Only scores of this kind.'),
      category: ScoreCategory.optional(),
      provider: ProviderName.optional().describe('Only scores of this provider.'),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: pageOf(Score)
      .extend({
        computed: z
          .array(ComputedScore)
          .optional()
          .describe(
            'With `category`, on the first page: one item for each local day of the range with data, newest day first, at most 400. They are not comparable with scores of providers.',
          ),
      })
      .meta({ id: 'ScorePage' }),
    http: {
      method: 'GET',
      path: '/users/:user_id/scores',
      access: 'data.read',
      reads: 'scores',
      tag: 'Data',
      failures: ['NOT_IMPLEMENTED'],
    },
    // Of a user who is not computed yet, `category` computes first, as insights do.
    timeoutMs: 30_000,
  }),
};
