import { type PhoneDays, type PhoneItem, phoneDays } from '../phone/days.ts';
import { gpxOf, recordedRun } from './recorded-run.ts';
import { zipOf } from './zip.ts';

const dayMs = 86_400_000;

/** The devices of the days, as an export describes them. */
const devices: Readonly<Record<string, { readonly name: string; readonly hardware: string }>> = {
  'Apple Watch': { name: 'Watch of a user', hardware: 'Watch7,1' },
  iPhone: { name: 'iPhone of a user', hardware: 'iPhone15,2' },
};

const stages: Readonly<Record<string, string>> = {
  in_bed: 'InBed',
  core: 'AsleepCore',
  deep: 'AsleepDeep',
  rem: 'AsleepREM',
  awake: 'Awake',
};

/** The document type, as phones write it. */
const doctype = `<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 14 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary|ClinicalRecord)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!-- Note: Any Records that appear as children of a correlation also appear as top-level records in this document. -->
<!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>
]>`;

const exportHead = `<?xml version="1.0" encoding="UTF-8"?>
${doctype}
<HealthData locale="en_US">
`;
const exportEnd = '\n</HealthData>\n';

/** The export of days: the document alone, and the archive with the routes of the runs. */
export function appleExport(
  data: PhoneDays,
  offsetMinutes: number,
): { readonly xml: string; readonly zip: Buffer } {
  const time = timesAt(offsetMinutes);
  const runs = data.workouts.map((run) => ({
    run,
    path: `/workout-routes/route_${run.startDate.slice(0, 10)}.gpx`,
  }));
  const lines = [
    // An export has the records of one type after those of another.
    ...Map.groupBy(data.records, ({ type }) => type).values(),
  ].flatMap((records) => records.map((record) => recordOf(record, time)));
  const nights = data.sleep.map((phase) => sleepOf(phase, time));
  const workouts = runs.map(({ run, path }) => workoutOf(run, path, time));
  const xml = `${exportHead}${[...lines, ...nights, ...workouts].join('\n')}${exportEnd}`;
  const routes = runs.map(({ run, path }) => ({
    name: `apple_health_export${path}`,
    bytes: Buffer.from(
      gpxOf(recordedRun(run.id, Date.parse(run.startDate), Date.parse(run.endDate)), 'Route'),
    ),
  }));
  const main = { name: 'apple_health_export/export.xml', bytes: Buffer.from(xml) };
  const summary = { name: 'apple_health_export/export_cda.xml', bytes: Buffer.from('<ClinicalDocument/>') };
  return { xml, zip: zipOf([main, summary, ...routes]) };
}

type Times = (iso: unknown) => string;

function timesAt(offsetMinutes: number): Times {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const size = Math.abs(offsetMinutes);
  const zone = `${offsetMinutes < 0 ? '-' : '+'}${two(size / 60)}${two(size % 60)}`;
  return (iso) => {
    const local = new Date(Date.parse(String(iso)) + offsetMinutes * 60_000).toISOString();
    return `${local.slice(0, 10)} ${local.slice(11, 19)} ${zone}`;
  };
}

function attributesOf(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${String(value).replaceAll('<', '&lt;').replaceAll('>', '&gt;')}"`)
    .join(' ');
}

function common({ source, startDate, endDate }: PhoneItem, time: Times) {
  const named = String(Reflect.get(Object(source), 'deviceName'));
  const { name, hardware } = devices[named] ?? { name: named, hardware: named };
  const device = `<<HKDevice: 0x2812f8c30>, name:${named}, manufacturer:Apple Inc., hardware:${hardware}, software:10.1>`;
  const times = { creationDate: time(endDate), startDate: time(startDate), endDate: time(endDate) };
  return { sourceName: name, sourceVersion: '10.1', device, ...times };
}

function recordOf(item: PhoneItem, time: Times): string {
  const { type, unit, value } = item;
  return ` <Record ${attributesOf({ type, ...common(item, time), unit, value })}/>`;
}

function sleepOf(item: PhoneItem, time: Times): string {
  const value = `HKCategoryValueSleepAnalysis${stages[String(item.stage)] ?? 'AsleepUnspecified'}`;
  const type = 'HKCategoryTypeIdentifierSleepAnalysis';
  return ` <Record ${attributesOf({ type, ...common(item, time), value })}/>`;
}

function workoutOf(item: PhoneItem, path: string | null, time: Times): string {
  const sums = { type: 'HKQuantityTypeIdentifierDistanceWalkingRunning', sum: 7.1, unit: 'km' };
  const rates = { type: 'HKQuantityTypeIdentifierHeartRate', average: 148, maximum: 171, unit: 'count/min' };
  const attributes = {
    workoutActivityType: 'HKWorkoutActivityTypeRunning',
    duration: 39,
    durationUnit: 'min',
    ...common(item, time),
  };
  return ` <Workout ${attributesOf(attributes)}>
  <MetadataEntry key="HKIndoorWorkout" value="0"/>
  <WorkoutStatistics ${attributesOf(sums)}/>
  <WorkoutStatistics ${attributesOf(rates)}/>
${path === null ? '' : routeOf(item, path, time)} </Workout>`;
}

function routeOf(item: PhoneItem, path: string, time: Times): string {
  return `  <WorkoutRoute ${attributesOf(common(item, time))}><FileReference path="${path}"/></WorkoutRoute>\n`;
}

/** A part of a large export: days of a user with dense records. */
export interface LargeExport {
  readonly seed: string;
  readonly startMs: number;
  readonly days: number;
  readonly density: number;
  readonly offsetMinutes: number;
}

const daysPerPiece = 30;

/**
 * The document of many days without routes, piece by piece. An export has the records of one type after those of another, so
 * the days are made anew for each type.
 */
export function* largeExport(choice: LargeExport): Generator<string> {
  const time = timesAt(choice.offsetMinutes);
  yield exportHead;
  const [first = noDays] = daysOf({ ...choice, days: 1 });
  for (const wanted of new Set(first.records.map(({ type }) => type)))
    for (const { records } of daysOf(choice))
      yield linesOf(
        records.filter(({ type }) => type === wanted),
        (record) => recordOf(record, time),
      );
  for (const { sleep } of daysOf(choice)) yield linesOf(sleep, (phase) => sleepOf(phase, time));
  for (const { workouts } of daysOf(choice)) yield linesOf(workouts, (run) => workoutOf(run, null, time));
  yield exportEnd;
}

const noDays: PhoneDays = { records: [], sleep: [], workouts: [] };

function* daysOf({ seed, startMs, days, density }: LargeExport): Generator<PhoneDays> {
  for (let day = 0; day < days; day += daysPerPiece)
    yield phoneDays({
      seed,
      density,
      startMs: startMs + day * dayMs,
      days: Math.min(daysPerPiece, days - day),
    }).data;
}

function linesOf(items: readonly PhoneItem[], lineOf: (item: PhoneItem) => string): string {
  return items.map((item) => `${lineOf(item)}\n`).join('');
}
