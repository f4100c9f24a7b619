import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { CalendarDate } from '../../domain/time/time.ts';
import { OtherEventType, SeriesTypeName, Timestamp } from '../../domain/wire.ts';
import { ProjectId } from '../fields.ts';

const Count = z.int().nonnegative();
const Days = z.int().min(1).max(36_500).nullable();

const defaultDays = Days.meta({
  description: 'Days that samples and tracks are kept. Null: all.',
  example: 730,
});
const typeDays = z.partialRecord(SeriesTypeName, Days).meta({
  description:
    'Days that samples of a series type are kept, in place of `default_days`. Null: all of this type.',
  example: { heart_rate: 90 },
});

/** How long samples of a project are kept. */
const SampleRule = z
  .object({ default_days: defaultDays, types: typeDays })
  .meta({ id: 'SampleRetention', description: 'How long samples are kept.' });

const SampleChange = z.object({ default_days: defaultDays.default(null), types: typeDays.default({}) });

const events_days = Days.meta({
  description:
    'Days that events other than workouts and sleep are kept (`GET /users/{user_id}/events/other`). Null: all.',
  example: 365,
});

/** How long data of a project is kept, as it is stored. */
export const RetentionRule = z.object({ samples: SampleRule, events_days });

/** A change of the rule. Fields that are undefined stay. */
export const RetentionChange = z
  .object({
    samples: SampleChange.optional().describe('Replaces the rule for samples. Omitted: it stays.'),
    events_days: events_days.optional(),
  })
  .meta({ id: 'RetentionChange' });

/** The rule of a project, and that of the installation. */
export const Retention = z
  .object({
    samples: SampleRule,
    events_days,
    installation_days: Days.describe(
      'SAMPLE_RETENTION_DAYS of the installation. The stricter of the two holds. Null: samples are kept.',
    ),
    updated_at: Timestamp.nullable().describe('When the rule was changed. Null: the project has none.'),
  })
  .meta({ id: 'Retention', description: 'How long data of a project is kept.' });

const counts = {
  kept_from: CalendarDate.describe('The first local day that is kept.'),
  rows: Count.describe('Samples, intervals or events of earlier days.'),
  users: Count.describe('The users whom they belong to.'),
};

/** What a rule deletes. */
export const RetentionPreview = z
  .object({
    samples: z.array(z.object({ type: SeriesTypeName, ...counts })),
    events: z.array(z.object({ type: OtherEventType, ...counts })),
  })
  .meta({
    id: 'RetentionPreview',
    description:
      'What the next pass would delete under a rule. It has only types of which something would be deleted.',
  });

const tag = 'Projects';

/** How long data of a project is kept. The project is that of the request: X-Project, otherwise your only one. */
export const retentionActions = {
  retention: action({
    summary: 'Get how long data of the project is kept',
    params: Nothing,
    returns: Retention,
    http: { method: 'GET', path: '/retention', access: 'retention', tag },
    idempotent: true,
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
