import { Link, location, setQuery } from '../../router.tsx';
import { queryFor } from './address.ts';
import { longDate, monthText, weekdayLetters } from './date-texts.ts';
import { daysOfMonth, firstOf, shiftMonth, weekdayOf } from './day-axis.ts';
import { type Fill, fillText } from './squares.ts';

/** A month as squares, one for each day: its shade is how much of the day is there, and it leads to the day. */
export function Month({
  month,
  date,
  today,
  fills,
}: {
  month: string;
  date: string;
  today: string;
  fills: ReadonlyMap<string, Fill> | undefined;
}) {
  const { path, query } = location.value;
  const turn = (by: 1 | -1) => setQuery({ month: shiftMonth(month, by) });
  return (
    <section class="month" aria-label="Days of the month" aria-busy={fills === undefined}>
      <div class="squares-head">
        <button type="button" class="day-step" aria-label="Earlier month" onClick={() => turn(-1)}>
          ‹
        </button>
        <h2 aria-live="polite">{monthText(month)}</h2>
        <button
          type="button"
          class="day-step"
          aria-label="Later month"
          disabled={month >= today.slice(0, 7)}
          onClick={() => turn(1)}
        >
          ›
        </button>
      </div>
      <div class="squares">
        {weekdayLetters().map((letter, index) => (
          <span key={index} aria-hidden="true">
            {letter}
          </span>
        ))}
        {daysOfMonth(month).map((one, index) => {
          const fill = fills?.get(one) ?? 0;
          const text = `${longDate(one)}: ${fillText(fill)}`;
          const number = <span aria-hidden="true">{index + 1}</span>;
          const column = index === 0 ? { gridColumnStart: `${weekdayOf(firstOf(month)) + 1}` } : {};
          return (
            <div
              key={one}
              class={`square fill-${fill} ${one === today ? 'today' : ''}`}
              style={column}
              title={text}
            >
              {one > today ? (
                number
              ) : (
                <Link to={path + queryFor(query, one, 'day')} isCurrent={one === date}>
                  {number}
                  <span class="hidden">{text}</span>
                </Link>
              )}
            </div>
          );
        })}
      </div>
    </section>
  );
}
