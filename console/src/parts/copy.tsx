import { useState } from 'preact/hooks';
import { Action } from './action.tsx';

/** A button that copies a text. `of` names the text for screen readers. */
export function Copy({ text, of, kind = '' }: { text: string; of: string; kind?: '' | 'main' }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Action
      kind={kind}
      run={async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
      }}
    >
      {isCopied ? 'Copied' : 'Copy'}
      <span class="hidden"> {of}</span>
    </Action>
  );
}
