import type { Config } from '../../config.ts';
import type { SleepWeights } from '../../domain/insights/sleep-score.ts';
import type { ShownAs } from './shown.ts';

/** The settings of the service. */
export interface InsightSettings {
  readonly isOn: boolean;
  readonly weights: SleepWeights;
  readonly priority: readonly string[];
  readonly shownAs: ShownAs;
}

/** The settings of the service. */
export function settingsOf(config: Config): InsightSettings {
  const [duration = 0, stages = 0, consistency = 0, interruptions = 0] = config.SLEEP_SCORE_WEIGHTS;
  return {
    isOn: config.INSIGHTS === 'on',
    weights: { duration, stages, consistency, interruptions },
    priority: config.SOURCE_PRIORITY,
    shownAs: (provider) => config.PROVIDER_NAMES[provider] ?? provider,
  };
}
