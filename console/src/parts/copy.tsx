import { useState } from 'preact/hooks';
import { Action } from './action.tsx';

interface CopyProps {
  readonly text: string;
  readonly of: string;
  readonly kind?: '' | 'main';
  readonly label?: string;
}

/** A button that copies a text. `of` names the text for screen readers. */
export function Copy({ text, of, kind = '', label = 'Copy' }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Action
      kind={kind}
      run={async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
      }}
    >
      {isCopied ? 'Copied' : label}
      <span class="hidden"> {of}</span>
    </Action>
  );
}
