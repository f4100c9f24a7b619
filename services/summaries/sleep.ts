import type { SleepSummary } from '../../contracts/summaries/schemas.ts';
import type { NightSleep, NightSource, Nights } from '../../domain/provider/facts.ts';
import { byPriority, largest } from '../../domain/provider/source-choice.ts';
import { formatInstant, wholeMinutes } from '../../domain/time/time.ts';
import { hundredths, type SourceRules, sourceToWire, whole } from './sources.ts';

/** A night, assigned to the local day of waking up, as the timeseries service returns it. */
type Night = Nights['nights'][number];

type MainFields = Omit<SleepSummary, 'date' | 'source' | 'nap_count' | 'nap_duration_minutes'>;

/**
 * The summary of a night. It comes from one provider: the one with the most known time asleep in its main sessions, on
 * a tie the one with the highest priority. Its sessions are added. Naps come from the provider with the most time in naps:
 * naps of two providers are never added, because they may be the same. A day with naps only has no main fields.
 */
export function nightToWire(night: Night, devices: readonly string[], rules: SourceRules): SleepSummary {
  const sources = byPriority(night.sources, rules);
  const slept = largest(sources.filter(hasMain), ({ main }) => main.asleep_seconds ?? -1);
  const napped = largest(
    sources.filter(({ nap_count }) => nap_count > 0),
    ({ nap_seconds }) => nap_seconds ?? -1,
  );
  const shown = slept ?? napped;
  if (shown === undefined) throw new Error('a night without any sleep');
  return {
    date: night.date,
    source: sourceToWire(shown.provider, devices[shown.device], rules),
    ...mainFields(slept?.main ?? null),
    nap_count: napped?.nap_count ?? 0,
    nap_duration_minutes: wholeMinutes(napped === undefined ? 0 : napped.nap_seconds),
  };
}

function hasMain(source: NightSource): source is NightSource & { main: NightSleep } {
  return source.main !== null;
}

function mainFields(main: NightSleep | null): MainFields {
  return {
    start_time: main === null ? null : formatInstant(main.start_ms),
    end_time: main === null ? null : formatInstant(main.end_ms),
    duration_minutes: wholeMinutes(main?.asleep_seconds ?? null),
    time_in_bed_minutes: wholeMinutes(main?.in_bed_seconds ?? null),
    efficiency_percent: main === null ? null : efficiency(main),
    stages: {
      awake_minutes: wholeMinutes(main?.awake_seconds ?? null),
      light_minutes: wholeMinutes(main?.light_seconds ?? null),
      deep_minutes: wholeMinutes(main?.deep_seconds ?? null),
      rem_minutes: wholeMinutes(main?.rem_seconds ?? null),
    },
    interruptions_count: main === null ? null : interruptions(main),
    avg_heart_rate_bpm: whole(main?.means.heart_rate ?? null),
    avg_hrv_sdnn_ms: hundredths(main?.means.heart_rate_variability_sdnn ?? null),
    avg_respiratory_rate: hundredths(main?.means.respiratory_rate ?? null),
    avg_spo2_percent: hundredths(main?.means.oxygen_saturation ?? null),
  };
}

/** Time asleep as a share of the time in bed. Null if either is not known, or a session has no measured stage. */
function efficiency({ asleep_seconds, in_bed_seconds, is_staged }: NightSleep): number | null {
  if (asleep_seconds === null || in_bed_seconds <= 0 || !is_staged) return null;
  return Math.min(100, hundredths((asleep_seconds / in_bed_seconds) * 100) ?? 0);
}

// Each gap between two sessions of a night counts as an interruption. Without reported interruptions the result is
// null, because the gaps alone are not the whole number.
function interruptions({ interruptions: reported, sessions }: NightSleep): number | null {
  return reported === null ? null : reported + sessions - 1;
}
