/** Settings by which the services send requests without a limit, because the scenarios last seconds. */
export const unlimited = {
  ...{ ACTIVITYNET_READS_PER_15_MIN: '100000', ACTIVITYNET_READS_PER_DAY: '1000000' },
  WITHINGS_REQUESTS_PER_MINUTE: '100000',
  OURA_REQUESTS_PER_5_MINUTES: '100000',
};
