import type { CalendarRow, DataCalendar } from '../../../../clients/typescript/src/index.ts';
import { typeName } from '../../titles.ts';
import { ProviderTitle } from '../provider-title.tsx';
import { Table } from '../table.tsx';

const dayMs = 86_400_000;
const day = (date: string) => Math.round(Date.parse(`${date}T00:00:00Z`) / dayMs);

/** Which data of a user exists: a row per type and provider, a mark per day. */
export function Calendar({ calendar }: { calendar: DataCalendar }) {
  return (
    <Table
      title="Data by day"
      head={['Type', 'Provider', 'Days', `${calendar.start_date} to ${calendar.end_date}`]}
    >
      {calendar.data.map((row) => (
        <tr key={`${row.kind} ${row.type} ${row.provider}`}>
          <td>{nameOf(row)}</td>
          <td>
            <ProviderTitle provider={row.provider} />
          </td>
          <td>{row.day_count}</td>
          <td>
            <Days row={row} calendar={calendar} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

const nameOf = ({ kind, type }: CalendarRow) => typeName(type ?? (kind === 'day' ? 'day totals' : kind));

function Days({ row, calendar }: { row: CalendarRow; calendar: DataCalendar }) {
  const first = day(calendar.start_date);
  const wide = day(calendar.end_date) - first + 1;
  const offset = day(row.first_date) - first;
  const marks = [...row.levels].flatMap((level, index) =>
    level === '0' ? [] : [`M${offset + index} 0h1v10h-1z`],
  );
  const text = `${row.day_count} days with data from ${row.first_date} to ${row.last_date}`;
  return (
    <svg viewBox={`0 0 ${wide} 10`} preserveAspectRatio="none" class="days" role="img" aria-label={text}>
      <path d={marks.join('')} />
    </svg>
  );
}
