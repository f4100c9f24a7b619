import type { ExplainedActivitySummary } from '../../contracts/summaries/schemas.ts';
import { summaries } from '../../contracts/summaries.ts';
import { type DayReading, readDays } from '../../domain/day-pages.ts';
import type { Page } from '../../domain/page.ts';
import type { Call } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import { type ActivityDay, activityToWire } from './activity.ts';
import { bodyToWire } from './body.ts';
import { dayKind, readDay, recovery } from './days.ts';
import { explainActivity } from './explain-activity.ts';
import { nightToWire } from './sleep.ts';
import { type SourceRules, sourceRules } from './sources.ts';

type NamedDay = ActivityDay & { readonly devices: readonly string[] };

const activity = (call: Call, rules: SourceRules, explain: boolean) => ({
  name: 'activity',
  async read(reading: DayReading) {
    const { total, devices, days } = await call('timeseries.activityDays', { ...reading, parts: explain });
    return { total, rows: days.map((day): NamedDay => ({ ...day, devices })) };
  },
  toWire(day: NamedDay): ExplainedActivitySummary {
    const summary = activityToWire(day, day.devices, rules);
    return explain ? { ...summary, explanation: explainActivity(day, day.devices, rules) } : summary;
  },
});

const sleep = (call: Call, rules: SourceRules) => ({
  name: 'sleep',
  async read(reading: DayReading) {
    const { total, devices, nights } = await call('timeseries.nights', reading);
    return { total, rows: nights.map((night) => ({ ...night, devices })) };
  },
  toWire: (night: Parameters<typeof nightToWire>[0] & { devices: string[] }) =>
    nightToWire(night, night.devices, rules),
});

// Whether the user exists is checked only if there is nothing to return, because users belong to another service.
async function unlessUnknown<T>(page: Page<T>, call: Call, userId: string): Promise<Page<T>> {
  if (page.data.length === 0) await call('users.get', { user_id: userId });
  return page;
}

/** Daily summaries and body summaries, computed on read. */
export default implement(summaries, {
  actions: {
    async activity({ params, call, config }) {
      const page = await readDays(activity(call, sourceRules(config), params.explain), params);
      return unlessUnknown(page, call, params.user_id);
    },
    async days({ params, call, config }) {
      const kind = dayKind(call, sourceRules(config), params.provider ?? null);
      return unlessUnknown(await readDays(kind, params), call, params.user_id);
    },
    async day({ params, call, config }) {
      const day = await readDay(call, sourceRules(config), params);
      if (day.records.length === 0) await call('users.get', { user_id: params.user_id });
      return day;
    },
    async sleep({ params, call, config }) {
      const request = { ...params, sort_order: 'asc' as const };
      const page = await readDays(sleep(call, sourceRules(config)), request);
      return unlessUnknown(page, call, params.user_id);
    },
    async body({ params, call, config }) {
      const { user_id, average_period, latest_window_hours } = params;
      const facts = await call('timeseries.bodyFacts', {
        user_id,
        now_ms: Date.now(),
        period_days: average_period,
        window_hours: latest_window_hours,
      });
      const summary = bodyToWire(facts, average_period, sourceRules(config));
      if (summary === null) await call('users.get', { user_id });
      return summary;
    },
    async recovery({ params, call }) {
      const request = { ...params, sort_order: 'asc' as const };
      const page = await readDays(recovery(call, params.explain), request);
      return unlessUnknown(page, call, params.user_id);
    },
  },
});
