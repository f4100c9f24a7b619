import { useId, useMemo, useState } from 'preact/hooks';

/** One bar: a label, and the value that its height shows. `note` is a further column of the table. */
export interface Bar {
  readonly label: string;
  readonly value: number | null;
  readonly note?: string;
}

const [width, height] = [640, 140];

/** Bars from the left to the right, with a table of the same values behind them. */
export function Bars({
  title,
  unit,
  bars,
  noteTitle,
}: {
  title: string;
  unit: string;
  bars: readonly Bar[];
  noteTitle?: string;
}) {
  const id = useId();
  const most = Math.max(1, ...bars.map(({ value }) => value ?? 0));
  const step = width / Math.max(1, bars.length);
  return (
    <figure>
      <figcaption id={id}>
        {title}{' '}
        <span class="faint">
          up to {format(most)} {unit}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-labelledby={id}
        class="bars"
        preserveAspectRatio="none"
      >
        <title>{title}</title>
        <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} class="axis" />
        {bars.map(({ label, value, note }, index) => {
          const tall = ((value ?? 0) / most) * (height - 4);
          return (
            <rect
              key={label}
              x={index * step + step * 0.1}
              y={height - tall}
              width={step * 0.8}
              height={tall}
            >
              <title>{`${label}: ${value === null ? 'no data' : `${format(value)} ${unit}`}${note ? ` (${note})` : ''}`}</title>
            </rect>
          );
        })}
      </svg>
      <div class="row ends" aria-hidden="true">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <DataTable
        title={title}
        head={['Time', unit, ...(noteTitle === undefined ? [] : [noteTitle])]}
        rows={() =>
          bars.map(({ label, value, note }) => [
            label,
            value === null ? '' : format(value),
            ...(noteTitle === undefined ? [] : [note ?? '']),
          ])
        }
      />
    </figure>
  );
}

/** The values of a chart as a table that can be read out and copied. */
export function DataTable({
  title,
  head,
  rows,
}: {
  title: string;
  head: readonly string[];
  /** Is called once the table is opened: rows are costly to make. */
  rows: () => readonly (readonly string[])[];
}) {
  const [isOpen, setOpen] = useState(false);
  const shown = useMemo(() => (isOpen ? rows() : []), [isOpen, rows]);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title} as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <section class="scroll tall" tabIndex={0} aria-label={`${title} as a table`}>
        <table>
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row[0]}>
                {row.map((cell, index) => (
                  <td key={index}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

/** A number with at most two digits behind the point. */
export const format = (value: number) => value.toLocaleString(undefined, { maximumFractionDigits: 2 });
