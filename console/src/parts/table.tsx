import type { ComponentChildren } from 'preact';

/** A table that scrolls sideways on narrow screens. */
export function Table({
  title,
  head,
  children,
}: {
  title: string;
  head: readonly ComponentChildren[];
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={`${title}, table`}>
      <table>
        <thead>
          <tr>
            {head.map((name, index) => (
              <th key={index} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
