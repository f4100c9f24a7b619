import type { ActivityExplanation, ExplainedSource } from '../../contracts/summaries/schemas.ts';
import type { DayPart, DaySource } from '../../domain/provider/facts.ts';
import { byPriority, largest } from '../../domain/provider/source-choice.ts';
import { sampleSource } from '../../domain/records/recording-method.ts';
import {
  type ActivityDay,
  type DayFigure,
  figureIn,
  intervalsOffer,
  type Offer,
  offersOf,
  originOf,
  precedence,
  sedentaryOffers,
  totalEnergyOffers,
} from './activity.ts';
import { clean, type SourceRules } from './sources.ts';

type Rule = ExplainedSource['rule'];

/** Input of the explanation of a day. */
interface Day {
  /** By priority. */
  readonly sources: readonly DaySource[];
  readonly devices: readonly string[];
  readonly rules: SourceRules;
}

/** For each field of a day's summary: all sources that have a value, their share of the shown value, and the rule. */
export function explainActivity(
  day: ActivityDay,
  devices: readonly string[],
  rules: SourceRules,
): ActivityExplanation {
  const explained: Day = { sources: byPriority(day.sources, rules), devices, rules };
  const sum = (figure: DayFigure, unit = 1) => explainFigure(explained, figure, 'largest', unit);
  const rate = (figure: DayFigure) => explainFigure(explained, figure, 'priority', 1);
  return {
    steps: sum('steps'),
    distance_meters: sum('distance_meters'),
    floors_climbed: sum('floors_climbed'),
    elevation_meters: sum('elevation_meters'),
    active_calories_kcal: sum('active_calories_kcal'),
    total_calories_kcal: explainOffers(explained, totalEnergyOffers(explained.sources), 'computed', 1),
    active_minutes: sum('active_seconds', 60),
    sedentary_minutes: explainOffers(explained, sedentaryOffers(explained.sources), 'epochs', 60),
    'intensity_minutes.light': explainLight(explained),
    'intensity_minutes.moderate': sum('moderate_seconds', 60),
    'intensity_minutes.vigorous': sum('vigorous_seconds', 60),
    'heart_rate.avg_bpm': rate('avg_bpm'),
    'heart_rate.max_bpm': rate('max_bpm'),
    'heart_rate.min_bpm': rate('min_bpm'),
  };
}

type Between = 'largest' | 'priority';

/** The offer that a summary shows, of sources in priority order. */
function chosenOf<T extends Offer>(offers: readonly T[], between: Between): T | undefined {
  return between === 'priority' ? offers[0] : largest(offers, ({ value }) => value);
}

function explainFigure(day: Day, figure: DayFigure, between: Between, unit: number): ExplainedSource[] {
  const offers = offersOf(day.sources, figure);
  const chosen = chosenOf(offers, between);
  const cut = intervalsOffer(day.sources, figure);
  return day.sources.flatMap((source) => {
    const isCut = originOf(source, figure) === 'intervals';
    const isChosen = isCut
      ? chosen?.isCut === true
      : chosen?.isCut !== true && source.provider === chosen?.provider;
    const explained = isCut ? explainIntervals(source, figure, cut) : explainProvider(source, figure);
    return explained.map(({ part, share, rule }) => ({
      ...entryOf(day, source.provider, part.device, (figureIn(part, figure) ?? 0) / unit),
      origin: origins[part.origin],
      share: isChosen ? rounded(share) : 0,
      rule: offers.length > 1 && share > 0 ? between : rule,
    }));
  });
}

const origins = {
  total: 'day_total',
  samples: 'samples',
  intervals: 'intervals',
  measured: 'intervals',
  workouts: 'workouts',
} as const;

interface ExplainedPart {
  readonly part: DayPart;
  /** Share of the provider's value. */
  readonly share: number;
  readonly rule: Rule;
}

/** What each device of a provider measured, and the part of it that counts in the segments of all providers. */
function explainIntervals(source: DaySource, figure: DayFigure, cut: Offer | null): ExplainedPart[] {
  const parts = (source.parts ?? []).filter((part) => figureIn(part, figure) !== null);
  const counted = parts.filter(({ origin }) => origin === 'intervals');
  const shares = new Map(counted.map((part) => [part.device, figureIn(part, figure) ?? 0]));
  const sum = cut?.value ?? 0;
  const shareOf = (part: DayPart) => (sum === 0 ? 0 : (shares.get(part.device) ?? 0) / sum);
  const ruleOf = (share: number): Rule => (share === 1 ? 'only_value' : 'best_ranked');
  const measured = parts.filter(({ origin }) => origin === 'measured');
  const unused = parts.filter(({ origin }) => origin === 'samples' || origin === 'workouts');
  return [
    ...measured.map((part) => ({ part, share: shareOf(part), rule: ruleOf(shareOf(part)) })),
    ...unused.map((part) => ({ part, share: 0, rule: 'precedence' as const })),
  ];
}

/** A provider's parts that have a figure, in the order of origins. The first origin determines the provider's value. */
function explainProvider(source: DaySource, figure: DayFigure): ExplainedPart[] {
  const used = originOf(source, figure);
  const ofOrigin = (origin: DayPart['origin']) =>
    (source.parts ?? []).filter((part) => part.origin === origin && figureIn(part, figure) !== null);
  const measured = ofOrigin('measured').map((part) => ({ part, share: 0, rule: 'precedence' as const }));
  const reported = precedence[figure].filter((origin) =>
    ofOrigin(origin).some((part) => countsFor(part, figure)),
  );
  return precedence[figure].flatMap((origin) => {
    if (origin === 'intervals') return measured;
    const parts = ofOrigin(origin);
    if (origin !== used) return parts.map((part) => ({ part, share: 0, rule: ruleOfUnused(part, figure) }));
    const explained = explainParts(parts, figure);
    if (reported.length === 1) return explained;
    return explained.map((entry) => (entry.share === 0 ? entry : { ...entry, rule: 'precedence' as const }));
  });
}

function ruleOfUnused(part: DayPart, figure: DayFigure): Rule {
  return countsFor(part, figure) ? 'precedence' : 'longest_record';
}

function countsFor({ counts }: DayPart, figure: DayFigure): boolean {
  return typeof counts === 'boolean' ? counts : counts.includes(figure);
}

function explainParts(parts: readonly DayPart[], figure: DayFigure): ExplainedPart[] {
  const [first] = parts;
  if (first === undefined) return [];
  const isRate = figure in extremes;
  if (first.origin === 'samples')
    return single(
      parts,
      isRate ? fullest(parts) : greatest(parts, figure),
      isRate ? 'fullest_device' : 'largest_device',
    );
  const counted = parts.filter((part) => countsFor(part, figure));
  if (isRate) return single(parts, extremeOf(counted, figure), 'longest_record');
  return added(parts, counted, figure);
}

function single(parts: readonly DayPart[], chosen: DayPart | undefined, rule: Rule): ExplainedPart[] {
  return parts.map((part) => ({
    part,
    share: part === chosen ? 1 : 0,
    rule: parts.length === 1 ? 'only_value' : rule,
  }));
}

/** Records of different hours and workouts are added. Of records of the same hours only the longest counts. */
function added(parts: readonly DayPart[], counted: readonly DayPart[], figure: DayFigure): ExplainedPart[] {
  const sum = counted.reduce((total, part) => total + (figureIn(part, figure) ?? 0), 0);
  const ruleOf = (part: DayPart): Rule => {
    if (parts.length === 1) return 'only_value';
    return counted.includes(part) && counted.length > 1 ? 'sum' : 'longest_record';
  };
  const shareOf = (part: DayPart) => {
    if (!counted.includes(part)) return 0;
    return sum === 0 ? 1 / counted.length : (figureIn(part, figure) ?? 0) / sum;
  };
  return parts.map((part) => ({ part, share: shareOf(part), rule: ruleOf(part) }));
}

// Heart rates of a day with several records: the mean of the longest record, the lowest and the highest of all.
const extremes: Partial<Record<DayFigure, (a: number, b: number) => number>> = {
  avg_bpm: (a) => a,
  min_bpm: Math.min,
  max_bpm: Math.max,
};

function extremeOf(parts: readonly DayPart[], figure: DayFigure): DayPart | undefined {
  const values = parts.map((part) => figureIn(part, figure) ?? 0);
  const pick = extremes[figure];
  if (pick === undefined || values.length === 0) return undefined;
  return parts[values.indexOf(values.reduce((a, b) => pick(a, b)))];
}

function greatest(parts: readonly DayPart[], figure: DayFigure): DayPart | undefined {
  return largest(parts, (part) => figureIn(part, figure) ?? 0);
}

function fullest(parts: readonly DayPart[]): DayPart | undefined {
  return largest(parts, ({ beats }) => beats ?? 0);
}

function explainOffers(
  day: Day,
  offers: readonly Offer[],
  origin: 'computed' | 'epochs',
  unit: number,
): ExplainedSource[] {
  const chosen = chosenOf(offers, 'largest');
  const alone = origin === 'computed' ? ('active_plus_basal' as const) : ('only_value' as const);
  return offers.map((offer) => ({
    ...entryOf(day, offer.provider, offer.device, offer.value / unit),
    origin,
    share: offer === chosen ? 1 : 0,
    rule: offers.length > 1 ? ('largest' as const) : alone,
  }));
}

/** Light minutes are computed from three shown values. Their sources are listed without a share. */
function explainLight(day: Day): ExplainedSource[] {
  const figures = ['active_seconds', 'moderate_seconds', 'vigorous_seconds'] as const;
  const shown = figures.map((figure) => chosenOf(offersOf(day.sources, figure), 'largest'));
  if (shown.some((offer) => offer === undefined)) return [];
  const distinct = new Map(
    shown.flatMap((offer) =>
      offer === undefined ? [] : [[`${offer.provider} ${offer.device}`, offer] as const],
    ),
  );
  return [...distinct.values()].map(({ provider, device }) => ({
    ...entryOf(day, provider, device, null),
    origin: 'computed' as const,
    share: null,
    rule: 'remainder' as const,
  }));
}

function entryOf({ devices, rules }: Day, provider: string, device: number, value: number | null) {
  return {
    ...sampleSource(rules.shownAs(provider), devices[device] ?? 'unknown'),
    value: clean(value),
  };
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
