/** Lanes of jobs are claimed in this order. */
export const lanes = { live: 0, historical: 10 } as const;
