import type { Retention, RetentionChange } from '../../clients/typescript/src/index.ts';
import { isSeriesType, type SeriesType } from '../../domain/records/series.ts';

/** A retention rule as the fields of its form show it. */
export interface RetentionTexts {
  readonly samples: string;
  readonly events: string;
  /** `heart_rate 90, weight all` */
  readonly types: string;
}

/** The fields of a rule. */
export function textsOfRule({ samples, events_days }: Retention): RetentionTexts {
  const types = Object.entries(samples.types).map(([type, days]) => `${type} ${days ?? 'all'}`);
  return {
    samples: `${samples.default_days ?? ''}`,
    events: `${events_days ?? ''}`,
    types: types.join(', '),
  };
}

/** The rule that fields describe. @throws Error with a sentence for the reader */
export function retentionChange({ samples, events, types }: RetentionTexts): RetentionChange {
  return {
    samples: { default_days: daysOf(samples), types: typesOf(types) },
    events_days: daysOf(events),
  };
}

function typesOf(text: string): Partial<Record<SeriesType, number | null>> {
  const types: Partial<Record<SeriesType, number | null>> = {};
  const entries = text.split(',').map((entry) => entry.trim());
  for (const entry of entries.filter((one) => one !== '')) {
    const [type = '', days = '', ...rest] = entry.split(/\s+/);
    if (!isSeriesType(type)) throw new Error(`There is no series type ${type}.`);
    if (days === '' || rest.length > 0) throw new Error(`Write the days after the type: ${type} 90.`);
    types[type] = daysOf(days);
  }
  return types;
}

function daysOf(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'all') return null;
  const days = Number(trimmed);
  if (!/^\d+$/.test(trimmed) || days < 1) throw new Error(`${trimmed} is not a number of days from 1 on.`);
  return days;
}
