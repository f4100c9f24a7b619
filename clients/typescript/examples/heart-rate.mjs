// The heart rate of a user's last days, as a line per day. usage: node heart-rate.mjs USER_ID [DAYS]
// PULSEBUS_URL and PULSEBUS_KEY name the server and an API key.
import { Pulsebus, PulsebusError } from '@pulsebus/client';

const { PULSEBUS_URL = 'http://127.0.0.1:3000', PULSEBUS_KEY = '' } = process.env;
const [user_id = '', days = '3'] = process.argv.slice(2);
const pulsebus = new Pulsebus({ baseUrl: PULSEBUS_URL, apiKey: PULSEBUS_KEY });
const bars = '▁▂▃▄▅▆▇█';

/** One bar per hour, from 40 to 180 beats per minute. */
function sparkline(samples) {
  const part = (value) => Math.min(Math.max((value - 40) / 140, 0), 0.99);
  return samples.map(({ value }) => bars[Math.floor(part(value) * bars.length)]).join('');
}

try {
  const hours = pulsebus.timeseries.samples({
    user_id,
    types: ['heart_rate'],
    resolution: '1hour',
    start_time: Math.floor(Date.now() / 1000) - Number(days) * 86_400,
    end_time: Math.floor(Date.now() / 1000),
  });
  const byDay = new Map();
  for await (const sample of hours) {
    const day = sample.timestamp.slice(0, 10);
    byDay.set(day, [...(byDay.get(day) ?? []), sample]);
  }
  for (const [day, samples] of byDay) console.log(day, sparkline(samples));
} catch (error) {
  if (!(error instanceof PulsebusError)) throw error;
  console.error(`${error.code}: ${error.message} (request ${error.requestId})`);
  process.exitCode = 1;
}
