import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { Timestamp } from '../../domain/wire.ts';
import { ProjectId } from '../fields.ts';

const Count = z.int().nonnegative();
const Days = z.int().min(1).max(36_500).nullable();

const samples_days = Days.meta({
  description: 'Days that samples, intervals and tracks of workouts are kept. Null: all.',
  example: 730,
});
const events_days = Days.meta({
  description:
    'Days that events other than workouts and sleep are kept (`GET /users/{user_id}/events/other`). Null: all.',
  example: 365,
});

/** How long data of a project is kept, as it is stored. */
export const RetentionRule = z.object({ samples_days, events_days });

/** A change of the rule. Fields that are undefined stay. */
export const RetentionChange = RetentionRule.partial().meta({ id: 'RetentionChange' });

/** The rule of a project, and that of the installation. */
export const Retention = RetentionRule.extend({
  installation_days: Days.describe(
    'SAMPLE_RETENTION_DAYS of the installation. The stricter of the two holds. Null: samples are kept.',
  ),
  updated_at: Timestamp.nullable().describe('When the rule was changed. Null: the project has none.'),
}).meta({ id: 'Retention', description: 'How long data of a project is kept.' });

/** What a rule deletes. */
export const RetentionPreview = z
  .object({
    samples: Count.describe('Samples and intervals.'),
    events: Count.describe('Events other than workouts and sleep.'),
  })
  .meta({ id: 'RetentionPreview', description: 'What the next pass would delete under a rule.' });

const tag = 'Projects';

/** How long data of a project is kept. The project is that of the request: X-Project, otherwise your only one. */
export const retentionActions = {
  retention: action({
    summary: 'Get how long data of the project is kept',
    params: Nothing,
    returns: Retention,
    http: { method: 'GET', path: '/retention', access: 'retention', tag },
  }),
  changeRetention: action({
    summary: 'Change how long data of the project is kept',
    description:
      'Older data is deleted in the background, in whole local days, and nothing announces it. Workouts, sleep and totals of days are kept. Data that is older when it arrives is not stored. Bodies of deliveries hold accounts of all projects: DELIVERY_RETENTION_DAYS of the installation holds for them.',
    params: RetentionChange,
    returns: Retention,
    http: { method: 'PATCH', path: '/retention', access: 'retention', tag, audit: 'retention.updated' },
    idempotent: true,
  }),
  previewRetention: action({
    summary: 'Count what a rule would delete',
    description:
      'Takes the body of `PATCH /retention`, and changes and deletes nothing. The numbers are those of the next pass, as long as nothing else is stored or deleted. Tracks and values of parts of slots go with the samples and are not counted.',
    params: RetentionChange,
    returns: RetentionPreview,
    http: {
      method: 'POST',
      path: '/retention/preview',
      access: 'retention',
      tag,
      audit: { none: 'A preview changes nothing.' },
    },
    idempotent: true,
    timeoutMs: 30_000,
  }),
  /** A project that is deleted has no rule any more. */
  forgetProject: action({
    summary: 'Delete the retention rule of a project',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({ deleted: z.boolean() }),
    idempotent: true,
  }),
};

export type RetentionRule = z.infer<typeof RetentionRule>;
export type RetentionChange = z.infer<typeof RetentionChange>;
export type Retention = z.infer<typeof Retention>;
export type RetentionPreview = z.infer<typeof RetentionPreview>;
