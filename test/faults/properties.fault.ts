// `npm run test:faults -- properties`: tests of random lives with more lives than `npm test` has. LIVES is their number.
process.env.LIVES ??= '60';

for (const file of [
  '../services/timeseries/night-means-property.test.ts',
  '../services/timeseries/activity-property.test.ts',
  '../flow/summaries-property.test.ts',
  '../services/activitynet-ingest/event-orders.test.ts',
])
  await import(file);
