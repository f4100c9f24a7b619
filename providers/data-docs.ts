import type { Field, FieldTable } from '../domain/provider/field-table.ts';
import { isExtra, isKept } from '../domain/provider/field-table.ts';
import { type FigureRange, figureRanges } from '../domain/workouts/ranges.ts';
import { providerNames, providers } from './all.ts';

const intro = `# Fields of the providers

This page is generated from the field tables of \`providers/\` by \`npm run generate\`. A test removes each field of its fixtures
in turn and fails if what can be read then does not differ at the ends that the table states.

| ends in | is read at |
|---|---|
| \`series.x\` | the series \`x\` of \`GET /users/{id}/timeseries\` |
| \`streams.x\` | the stream \`x\` of \`GET /users/{id}/events/workouts/{id}/streams\`; positions follow the privacy zones of the user |
| \`workout.x\`, \`sleep.x\` | the single workout, the single sleep session |
| \`details.x\`, \`laps.x\`, \`splits.x\` | the single workout |
| \`day.x\` | the summary of the day |
| \`day_values.x\` | \`GET /users/{id}/days\` |
| \`score.x\`, \`score_components.x\` | the score of the kind \`x\` of \`GET /users/{id}/scores\`, and its components |
| \`epoch.x\` | the values of a quarter of an hour, which are computed from its parts: sums are intervals, means are samples |
| \`event.data\` | \`data\` of \`GET /users/{id}/events/other\` |
| \`nutrition.x\`, \`cycle_record.x\` | \`x\` in \`data\` of the events of this type, \`GET /users/{id}/events/other?type=nutrition\` |
| \`key\` | the identity of the record |
| \`source\`, \`start_time\`, \`end_time\`, \`duration_seconds\`, \`date\`, \`zone_offset\` | the fields of these names of the record or of its samples |
| \`extra\` | \`extra\` of the single workout, the single sleep session or the day, by the field's own name |

Only the listed fields are kept in \`extra\`: an item may contain positions, tokens and ids of accounts under names that nobody has
seen. A value is a number, a flag, a text of at most 500 characters, or a list of at most 100 of these, and all values of a record
have at most 4,000 bytes. A field that no table lists is counted by name, without its value
(\`pulsebus_unlisted_fields_total\`; not of uploads). When a table lists it, \`POST /deliveries/reprocess\` reads it
from kept deliveries that contain data. The fields of an item that consists of samples are in the day of the item, because samples have no fields of their own.

Times without an offset take the clock of the record that they name, of the provider's records around them, of the user's \`time_zone\`,
or the nearest known one, and follow when a better one becomes known ([decision 0067](decisions/0067-clocks.md)).

Envelopes of uploads and notifications without data (permissions, ends of access) have no table: no record is made of them.

*assumed*: our documentation of the provider does not name the field. *none*: the provider sends these numbers where it has
no value, so that the field counts as absent.
`;

/** The text of docs/data.md. */
export function dataDocs(): string {
  return [intro, summary(), ...providerNames.map(sectionOf), ranges()].join('\n');
}

type Name = (typeof providerNames)[number];

function summary(): string {
  const rows = providerNames.map((name) => {
    const all = Object.values(providers[name].fields).flatMap((table: FieldTable) => Object.values(table));
    const counts = [all, all.filter(isKept), all.filter(isExtra), all.filter((one) => !isKept(one))];
    const guessed = all.filter(({ assumed }) => assumed === true);
    return `| ${name} | ${[...counts, guessed].map(({ length }) => length).join(' | ')} |`;
  });
  const head =
    '| provider | fields | kept | of these in `extra` | not kept | assumed |\n|---|---|---|---|---|---|';
  return `${head}\n${rows.join('\n')}\n`;
}

/** The ranges of the figures of workouts. */
function ranges(): string {
  const rows = Object.entries(figureRanges).map(([name, range]) => {
    const { min, max, perMinute }: FigureRange = range;
    return `| \`${name}\` | ${min} | ${max} | ${perMinute ?? ''} |`;
  });
  return `## Ranges of the figures of workouts

A figure of a workout or a lap of a file that is out of its range is null, and is named in \`skipped\` of the import. What is measured along
a workout is bounded by the ranges of its streams. *In a minute*: the most in each minute of the workout or lap, of which one counts at least.

| figure | least | most | in a minute |
|---|---|---|---|
${rows.join('\n')}
`;
}

function sectionOf(name: Name): string {
  const tables = Object.entries(providers[name].fields).map(([type, table]) => tableOf(type, table));
  return `## ${name}: ${providers[name].title}\n\n${tables.join('\n')}`;
}

function tableOf(type: string, table: FieldTable): string {
  const rows = Object.entries(table).map(([path, field]) => rowOf(path, field));
  return `### ${type}\n\n| field | unit | ends in |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function rowOf(path: string, field: Field): string {
  const end = isKept(field) ? field.ends.map((one) => `\`${one}\``).join(', ') : `not kept: ${field.notKept}`;
  const marks = (field.absentAs ?? []).join(' and ');
  const none = marks === '' ? '' : ` *none: ${marks}*`;
  return `| \`${path}\`${field.assumed === true ? ' *assumed*' : ''}${none} | ${field.unit ?? ''} | ${end} |`;
}
