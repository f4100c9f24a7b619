import type {
  ActivitySummary,
  ListedSleepSession,
  Score,
  Source,
} from '../../../../clients/typescript/src/index.ts';
import { duration } from '../../duration.ts';
import { briefSource } from '../../titles.ts';
import { digits, distance } from '../../units.ts';
import { againstUsual } from './baseline.ts';
import { clockOfDay } from './lane-texts.ts';
import type { Picture } from './picture.ts';
import type { Resting } from './resting.ts';
import { nightOf } from './sleep-of-day.ts';

/** One value of a day. */
interface Fact {
  readonly label: string;
  readonly text: string;
  readonly note?: string;
}

/** Values of one source. */
interface Facts {
  readonly title: string;
  readonly source: Source;
  readonly facts: readonly Fact[];
}

/** What a day says, by kind and source. A value that is not known is left out. */
export function DayFacts({
  picture,
  activity,
  resting,
}: {
  picture: Picture;
  activity: ActivitySummary | undefined;
  resting: Resting | null;
}) {
  const { date, zone } = picture.axis;
  const night = nightOf(picture.sleeps, date, zone);
  const groups = [
    ...(activity === undefined ? [] : [activityFacts(activity)]),
    ...(night === undefined ? [] : [nightFacts(night, picture)]),
    ...heartFacts(picture, resting),
    ...scoreFacts(picture.scores),
  ].filter(({ facts }) => facts.length > 0);
  return (
    <>
      {groups.map(({ title, source, facts }) => (
        <section key={`${title} ${briefSource(source)}`} class="fact-group" aria-label={title}>
          <h3>
            {title} <span class="faint">{briefSource(source)}</span>
          </h3>
          <dl>
            {facts.map(({ label, text, note }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  {text}
                  {note !== undefined && <span class="faint"> {note}</span>}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}

const known = (label: string, value: number | null, text: (value: number) => string): Fact[] =>
  value === null ? [] : [{ label, text: text(value) }];
const whole = (value: number) => digits(value, 0);
const kcal = (value: number) => `${whole(value)} kcal`;

const activityFacts = (day: ActivitySummary): Facts => ({
  title: 'Activity',
  source: day.source,
  facts: [
    ...known('Steps', day.steps, whole),
    ...known('Distance', day.distance_meters, (meters) => distance(meters)),
    ...known('Active', day.active_minutes, (minutes) => duration(minutes * 60)),
    ...known('Floors', day.floors_climbed, whole),
    ...known('Energy', day.total_calories_kcal, kcal),
    ...known('Active energy', day.active_calories_kcal, kcal),
  ],
});

function nightFacts(night: ListedSleepSession, { axis: { zone } }: Picture): Facts {
  const clock = clockOfDay(night.zone_offset ?? zone);
  return {
    title: 'Sleep',
    source: night.source,
    facts: [
      ...known('Asleep', night.duration_seconds, duration),
      { label: 'Bed time', text: clock(night.start_time) },
      { label: 'Awake at', text: clock(night.end_time) },
      ...known('Efficiency', night.efficiency_percent, (percent) => `${whole(percent)} %`),
    ],
  };
}

function heartFacts({ variability }: Picture, resting: Resting | null): Facts[] {
  const groups = [
    ...restFacts(resting),
    ...variability.map(({ source, mean }) =>
      heart(source, { label: 'Variability', text: `${whole(mean)} ms` }),
    ),
  ];
  return groups.reduce<Facts[]>(joined, []);
}

const heart = (source: Source, fact: Fact): Facts => ({ title: 'Heart', source, facts: [fact] });

function restFacts(resting: Resting | null): Facts[] {
  if (resting === null || resting.value === null) return [];
  const { source, value, baseline } = resting;
  const note = baseline === null ? {} : { note: againstUsual(value, baseline) };
  return [heart(source, { label: 'At rest', text: `${whole(value)} bpm`, ...note })];
}

const scoreFacts = (scores: readonly Score[]) => scores.flatMap(scoreFact).reduce<Facts[]>(joined, []);

// Some scores are only words, and some have neither a value nor a word but only parts.
function scoreFact({ kind, value, label, source }: Score): Facts[] {
  const text = [
    ...(value === null ? [] : [digits(value, 1)]),
    ...(label === null ? [] : [label.toLowerCase()]),
  ].join(', ');
  return text === '' ? [] : [{ title: 'Scores', source, facts: [{ label: named(kind), text }] }];
}

const named = (kind: string) => {
  const text = kind.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Values of the same kind and source stand together. */
function joined(groups: Facts[], next: Facts): Facts[] {
  const same = groups.find(
    ({ title, source }) => title === next.title && briefSource(source) === briefSource(next.source),
  );
  if (same === undefined) return [...groups, next];
  const facts = next.facts.filter(({ label }) => !same.facts.some((one) => one.label === label));
  return groups.map((one) => (one === same ? { ...same, facts: [...same.facts, ...facts] } : one));
}
