import { useRef } from 'hono/jsx/dom';
import { ActButton, type ActButtonProps } from '../parts/acts/act-button.tsx';
import { useEffect } from '../parts/use-effect.ts';

export interface QuestionProps
  extends Pick<ActButtonProps, 'act' | 'words' | 'subject' | 'attempt'> {
  text: string;
  onYes(): void;
  onNo(): void;
}

/** Asks a question before a step that cannot be undone. */
export function Question({ text, onYes, onNo, ...button }: QuestionProps) {
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => no.current?.focus(), []);
  return (
    <fieldset
      class="panel"
      aria-label={text}
      onKeyDown={(event: KeyboardEvent) => event.key === 'Escape' && onNo()}
    >
      <p>{text}</p>
      <div class="buttons">
        <ActButton {...button} onPress={onYes} />
        <button type="button" ref={no} onClick={onNo}>
          Cancel
        </button>
      </div>
    </fieldset>
  );
}
