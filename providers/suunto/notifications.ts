import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Hint } from '../../domain/provider/notifications.ts';
import type { Span } from '../../domain/provider/pulled-provider.ts';
import { instantWithOffset } from '../../domain/recipe/read-fields.ts';

const Id = z.union([z.int(), z.string().min(1).max(100)]).transform(String);
const Workout = z.object({ workoutKey: Id.optional(), startTime: z.int().positive().optional() });
const Event = z.object({
  type: z.string().max(60),
  username: z.string().min(1).max(100),
  workoutid: Id.optional(),
  workoutKey: Id.optional(),
  workout: Workout.optional().catch(undefined),
  samples: z
    .array(z.object({ timestamp: z.string().max(60) }).catch({ timestamp: '' }))
    .optional()
    .catch(undefined),
});
type Event = z.output<typeof Event>;

/** Routes are not read. Deletions have no events: the daily read of the last days finds them. */
const typesOf: Readonly<Record<string, string>> = {
  WORKOUT_CREATED: 'workout',
  SUUNTO_247_SLEEP_CREATED: 'sleep',
  SUUNTO_247_ACTIVITY_CREATED: 'activity',
  SUUNTO_247_RECOVERY_CREATED: 'recovery',
};

/** What an event names. Its samples and its workout are not stored: they say what is read. */
export function read(body: Buffer): Hint[] | null {
  const event = Event.safeParse(jsonOrNull(body.toString('utf8'))).data;
  if (event === undefined) return null;
  const type = typesOf[event.type];
  if (type === undefined) return [];
  const id = event.workoutid ?? event.workoutKey ?? event.workout?.workoutKey;
  const hint = { kind: 'changed', account: event.username, types: [type], span: spanOf(event) } as const;
  return [id === undefined ? hint : { ...hint, id }];
}

/** From the first time of the event to its last. Null: it names none, and the last days are read. */
function spanOf({ workout, samples = [] }: Event): Span | null {
  const times = samples.flatMap(({ timestamp }) => instantWithOffset(timestamp)?.ms ?? []);
  if (workout?.startTime !== undefined) times.push(workout.startTime);
  const [startMs, endMs] = [Math.min(...times), Math.max(...times) + 1];
  return times.length === 0 ? null : { startMs, endMs };
}
