import { contract } from '../domain/contract.ts';
import { calendarActions } from './timeseries/calendar.ts';
import { chartActions } from './timeseries/chart.ts';
import { dayActions, intervalActions } from './timeseries/days.ts';
import { exportActions } from './timeseries/exports.ts';
import { insightFactActions } from './timeseries/insight-facts.ts';
import { observedActions } from './timeseries/observed.ts';
import { readActions } from './timeseries/reads.ts';
import { retentionActions } from './timeseries/retention.ts';
import { routePrivacyActions } from './timeseries/route-privacy.ts';
import { sampleBytesActions } from './timeseries/sample-bytes.ts';
import { scoreActions } from './timeseries/scores.ts';
import { sleepStageActions } from './timeseries/sleep-stages.ts';
import { sourcePriorityActions } from './timeseries/source-priority.ts';
import { workoutDetailActions } from './timeseries/workout-details.ts';
import { writeActions } from './timeseries/writes.ts';

/** All stored health data. */
export const timeseries = contract('timeseries', {
  ...readActions,
  ...sleepStageActions,
  ...calendarActions,
  ...chartActions,
  ...dayActions,
  ...scoreActions,
  ...exportActions,
  ...observedActions,
  ...writeActions,
  ...insightFactActions,
  ...intervalActions,
  ...sourcePriorityActions,
  ...routePrivacyActions,
  ...retentionActions,
  ...workoutDetailActions,
  ...sampleBytesActions,
});
