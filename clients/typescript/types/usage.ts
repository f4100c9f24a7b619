// Compiled against the built package, as an ES module and as CommonJS. It is not run.
import {
  type ActivitySummaryPage,
  type Lines,
  type Pages,
  Pulsebus,
  PulsebusError,
  type Sample,
  type TimeseriesPage,
  type User,
  type UserPage,
  type WebhookEvent,
  webhooks,
} from '@pulsebus/client';
import { expectTypeOf } from 'expect-type';

const pulsebus = new Pulsebus({ baseUrl: 'https://pulsebus.example', apiKey: 'sk-1' });
const range = { user_id: 'u', start_time: '2026-01-01', end_time: '2026-01-02' };

// Parameters of path and query are one object; the response has the type of its component.
expectTypeOf(pulsebus.users.get).parameter(0).toMatchTypeOf<{ user_id: string }>();
expectTypeOf(pulsebus.users.get({ user_id: 'u' })).resolves.toEqualTypeOf<User>();
expectTypeOf(pulsebus.users.list()).toEqualTypeOf<Pages<UserPage>>();
expectTypeOf(pulsebus.timeseries.samples(range)).resolves.toEqualTypeOf<TimeseriesPage>();
expectTypeOf(pulsebus.apiGateway.download(range)).toEqualTypeOf<Lines<Sample>>();
// @ts-expect-error a parameter of the path is missing
pulsebus.users.get({});
// @ts-expect-error there is no such series type
pulsebus.timeseries.samples({ ...range, types: ['heart'] });
// @ts-expect-error there is no such parameter
pulsebus.users.create({ firstName: 'Ada' });
// @ts-expect-error the address of the server is missing
new Pulsebus({ apiKey: 'sk-1' });

export async function iterate(): Promise<void> {
  for await (const sample of pulsebus.timeseries.samples(range)) {
    expectTypeOf(sample).toEqualTypeOf<Sample>();
    expectTypeOf(sample.value).toEqualTypeOf<number>();
  }
  for await (const page of pulsebus.summaries.activity({ user_id: 'u', start_date: 1, end_date: 2 }).pages())
    expectTypeOf(page).toEqualTypeOf<ActivitySummaryPage>();
  expectTypeOf(await pulsebus.users.list().toArray()).toEqualTypeOf<User[]>();
}

// `type` narrows an event.
export async function receive(headers: Headers, body: string): Promise<string> {
  const event = await webhooks.verify(headers, body, 'whsec_');
  expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
  if (event.type === 'workout.created') expectTypeOf(event.data.id).toEqualTypeOf<string>();
  // @ts-expect-error no event has this type
  if (event.type === 'workout.made') return '';
  return event.type;
}

export function explain(error: unknown): string {
  if (!(error instanceof PulsebusError)) return '';
  expectTypeOf(error.requestId).toEqualTypeOf<string | null>();
  expectTypeOf(error.status).toEqualTypeOf<number>();
  return error.errors.map(({ field, message }) => `${error.code} ${field} ${message}`).join();
}
