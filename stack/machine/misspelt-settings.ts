import { type RawSettings, settingNames } from '../../config.ts';
import { editDistance, misspelledName } from '../../domain/nearest.ts';
import { providerNames } from '../../providers/all.ts';

/** Prefixes that only settings of this product have. */
const prefixes = ['PULSEBUS', 'SANDBOX', 'BACKFILL', 'RATE_LIMIT', 'WEBHOOK', ...providerNames];
const OURS = new RegExp(`^(${prefixes.join('|').toUpperCase()})_`);
/** Shorter names resemble those of many other programs: HOME and HOST differ in two characters. */
const SHORT = 5;

/** Settings of earlier releases and of other programs, and what is used here. */
const others: RawSettings = {
  OTEL_TRACES_SAMPLER_ARG: 'The share of requests that are traced is TRACING_SAMPLE.',
  TRACING_URL: 'Traces and metrics are sent by OTLP: set OTEL_EXPORTER_OTLP_ENDPOINT (docs/settings.md).',
};

/** A sentence for each variable of an environment that looks like a misspelt setting. */
export function misspeltSettings(environment: RawSettings): string[] {
  return Object.keys(environment)
    .filter((name) => !settingNames.includes(name) && environment[name] !== '')
    .flatMap((name) => {
      if (Object.hasOwn(others, name)) return [`${name} is ignored. ${others[name]}`];
      const meant = meantBy(name);
      if (meant !== null) return [`${name} is not a setting, and is ignored. Did you mean ${meant}?`];
      return OURS.test(name) ? [`${name} is not a setting, and is ignored.`] : [];
    });
}

function meantBy(name: string): string | null {
  const text = name.replace(/^PULSEBUS_/, '').toUpperCase();
  if (settingNames.includes(text)) return text;
  const meant = misspelledName(text, settingNames);
  return meant !== null && meant.length <= SHORT && editDistance(text, meant) > 1 ? null : meant;
}
