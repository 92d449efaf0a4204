import { useRef } from 'hono/jsx/dom';
import { Copy } from '../../parts/copy.tsx';
import { useEffect } from '../../parts/use-effect.ts';

export interface SecretProps {
  secret: string;
  onDone(): void;
}

/** Shows a new secret once. */
export function Secret({ secret, onDone }: SecretProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <section class="panel" tabIndex={-1} ref={panel} aria-label="The new secret">
      <p>
        <strong>Copy this secret now. The page cannot show it again.</strong> Your receiver needs
        the secret to check that a message is from this service.
      </p>
      <code class="secret">{secret}</code>
      <div class="buttons">
        <Copy label="Copy the secret" text={() => secret} />
        <button type="button" onClick={onDone}>
          Hide the secret
        </button>
      </div>
    </section>
  );
}
