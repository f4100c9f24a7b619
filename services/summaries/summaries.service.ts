import { summaries } from '../../contracts/summaries.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Page } from '../../domain/page.ts';
import type { Call } from '../../mixins/environment.ts';
import { implement } from '../../mixins/implement.ts';
import { activityToWire } from './activity.ts';
import { bodyToWire } from './body.ts';
import { datesOf, type Reading, readDays } from './days.ts';
import { nightToWire } from './sleep.ts';
import { type SourceRules, sourceRules } from './sources.ts';

const activity = (call: Call, rules: SourceRules) => ({
  name: 'activity',
  async read(reading: Reading) {
    const { total, devices, days } = await call('timeseries.activityDays', reading);
    return { total, rows: days.map((day) => ({ ...day, devices })) };
  },
  toWire: (day: Parameters<typeof activityToWire>[0] & { devices: string[] }) =>
    activityToWire(day, day.devices, rules),
});

const sleep = (call: Call, rules: SourceRules) => ({
  name: 'sleep',
  async read(reading: Reading) {
    const { total, devices, nights } = await call('timeseries.nights', reading);
    return { total, rows: nights.map((night) => ({ ...night, devices })) };
  },
  toWire: (night: Parameters<typeof nightToWire>[0] & { devices: string[] }) =>
    nightToWire(night, night.devices, rules),
});

// Users are not ours: whether one exists is asked only where there is nothing to show.
async function unlessUnknown<T>(page: Page<T>, call: Call, userId: string): Promise<Page<T>> {
  if (page.data.length === 0) await call('users.get', { user_id: userId });
  return page;
}

/** Daily summaries and that of a body, computed at reading from what is stored. */
export default implement(summaries, {
  actions: {
    async activity({ params, call, config }) {
      const page = await readDays(activity(call, sourceRules(config)), params);
      return unlessUnknown(page, call, params.user_id);
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
    recovery({ params }) {
      datesOf(params);
      throw new ServiceError('NOT_IMPLEMENTED');
    },
  },
});
