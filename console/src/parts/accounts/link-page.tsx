import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A page that a link with a token leads to. Without a token it says so. */
export function LinkPage({
  title,
  children,
}: {
  title: string;
  children: (token: string) => ComponentChildren;
}) {
  const [token] = useState(takeToken);
  useEffect(() => {
    document.title = `${title} · Pulsebus`;
  }, [title]);
  return (
    <main class="sign-in">
      <h1>{title}</h1>
      {token === '' ? (
        <p role="alert">This link is incomplete. Open it again from the message that contains it.</p>
      ) : (
        children(token)
      )}
    </main>
  );
}

/** The token of a link. It leaves the address at once, so that it is not in the history. */
export function takeToken(): string {
  const token = window.location.hash.slice(1);
  if (token !== '') history.replaceState(null, '', window.location.pathname);
  return token;
}
