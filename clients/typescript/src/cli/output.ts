/** Where a command prints. Data goes to the output, notes go to the error output. */
export interface Output {
  readonly isTerminal: boolean;
  /** Characters of a line. */
  readonly width: number;
  line(text: string): void;
  note(text: string): void;
  /** Writes text as it is, and waits while the reader is slow. On a terminal, control characters are replaced. */
  write(text: string): Promise<void>;
  colour(name: Colour, text: string): string;
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Colour = keyof typeof codes;

const widthOfFile = 80;

/** The output of this process. Colours are used on a terminal only, and not with NO_COLOR. */
export function processOutput({ NO_COLOR, TERM, COLUMNS }: NodeJS.ProcessEnv = process.env): Output {
  const { stdout, stderr } = process;
  const isTerminal = stdout.isTTY === true;
  const hasColour = isTerminal && !NO_COLOR && TERM !== 'dumb';
  return {
    isTerminal,
    width: isTerminal ? stdout.columns || widthOfFile : Number(COLUMNS) || widthOfFile,
    line: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    write: async (text) => {
      const isTaken = stdout.write(isTerminal ? printable(text.replaceAll('\r', ''), /[^\n\P{C}]/gu) : text);
      if (!isTaken) await new Promise((resolve) => stdout.once('drain', resolve));
    },
    colour: (name, text) => (hasColour ? `\u001b[${codes[name]}m${text}\u001b[0m` : text),
  };
}

/** Text of users, devices or providers for a terminal, which would interpret control characters. */
export function printable(text: string, control = /\p{C}|[\u2028\u2029]/gu): string {
  return text.replace(control, '\uFFFD');
}

/** A value as JSON in one line. An escape means the same within a string, and other characters are no control characters. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
