import { useState } from 'hono/jsx/dom';

/** Shows a button that copies a text. If the browser does not allow copying, the page says so. */
export function Copy({ label, text }: { label: string; text: () => string }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid('Copied.');
    } catch {
      setSaid('This browser does not allow copying. Select the text instead.');
    }
  };
  return (
    <span class="copy">
      <button type="button" onClick={copy}>
        {label}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}
