import t from 'tap';
import { z } from 'zod';
import { createWearer, push, startApi } from '../support/api.ts';

const api = await startApi(t);
const start = Date.UTC(2026, 2, 1, 8) / 1000;
const Page = z.object({ pagination: z.object({ total_count: z.int() }) });

/** 600 seconds of an activity, each with a heart rate, that was paused for 100 s after 300 of them. */
const recorded = Array.from({ length: 600 }, (_, timer) => ({
  at: start + timer + (timer < 300 ? 0 : 100),
  timer,
}));
type Recorded = (typeof recorded)[number];

/** What an account has of the activity: the summary of a length, and its details. */
function sender(userId: string) {
  const activity = (durationInSeconds: number) => ({
    ...{ userId, activityId: 7, activityType: 'RUNNING', startTimeInSeconds: start },
    ...{ startTimeOffsetInSeconds: 0, durationInSeconds },
  });
  return {
    summary: (seconds: number) => ({ activities: [activity(seconds)] }),
    details: (fields: object, of: (one: Recorded) => object = () => ({}), samples = recorded) => ({
      activityDetails: [
        {
          ...{ userId, activityId: 7, summaryId: '7-detail', summary: { ...activity(0), ...fields } },
          samples: samples.map((one) => ({ startTimeInSeconds: one.at, heartRate: 120, ...of(one) })),
        },
      ],
    }),
  };
}

type Bodies = (of: ReturnType<typeof sender>) => readonly object[];
const elapsed = { durationInSeconds: 700 };
const withTimer = ({ timer }: Recorded) => ({ timerDurationInSeconds: timer });
// Without a heart rate for 150 s after the pause: the longest gap of the details is none of the pauses.
const withGap = recorded.filter(({ timer }) => timer < 400 || timer >= 550);

const cases: readonly (readonly [what: string, bodies: Bodies, left: number])[] = [
  [
    'details of the whole time, and no clock of the activity',
    ({ summary, details }) => [summary(600), details(elapsed), summary(599)],
    600,
  ],
  [
    'details without a duration of their own',
    ({ summary, details }) => [summary(600), details({ durationInSeconds: undefined }), summary(599)],
    600,
  ],
  [
    'details with the duration of the activity',
    ({ summary, details }) => [summary(600), details({ durationInSeconds: 600 }), summary(599)],
    600,
  ],
  [
    'twice a second shorter',
    ({ summary, details }) => [summary(600), details(elapsed), summary(599), summary(598)],
    599,
  ],
  [
    'details that come after the shorter activity',
    ({ summary, details }) => [summary(600), summary(599), details(elapsed, withTimer)],
    600,
  ],
  [
    'a crop within the time after the pause',
    ({ summary, details }) => [summary(600), details(elapsed), summary(450)],
    451,
  ],
  [
    'a crop before the pause',
    ({ summary, details }) => [summary(600), details(elapsed, withTimer), summary(200)],
    201,
  ],
  [
    'a gap that is longer than the pause',
    ({ summary, details }) => [summary(600), details(elapsed, withTimer, withGap), summary(390)],
    391,
  ],
  [
    'durations that contain the pause',
    ({ summary, details }) => [summary(700), details(elapsed, withTimer), summary(500)],
    401,
  ],
];

for (const [what, bodies, left] of cases)
  t.test(
    `a paused activity that comes again shorter keeps the samples of its duration: ${what}`,
    async (t) => {
      const { userId, account } = await createWearer(api);
      for (const body of bodies(sender(account))) await push(api, body);
      const range = 'start_time=2026-03-01T07:00:00Z&end_time=2026-03-01T10:00:00Z';
      const { pagination } = Page.parse(
        await api.expect(200, `/users/${userId}/timeseries?types=heart_rate&${range}&limit=1`),
      );
      t.equal(pagination.total_count, left);
    },
  );
