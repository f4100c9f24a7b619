import { type RawSettings, settingNames } from '../../config.ts';
import { editDistance, misspelledName } from '../../domain/nearest.ts';
import { providerNames } from '../../providers/all.ts';

/** Prefixes that only settings of this product have. */
const prefixes = ['PULSEBUS', 'SANDBOX', 'BACKFILL', 'RATE_LIMIT', 'WEBHOOK', ...providerNames];
const OURS = new RegExp(`^(${prefixes.join('|').toUpperCase()})_`);
/** Shorter names resemble those of many other programs: HOME and HOST differ in two characters. */
const SHORT = 5;

/** A sentence for each variable of an environment that looks like a misspelt setting. */
export function misspeltSettings(environment: RawSettings): string[] {
  return Object.keys(environment)
    .filter((name) => !settingNames.includes(name) && environment[name] !== '')
    .flatMap((name) => {
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
