import { useRef, useState } from 'hono/jsx/dom';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import type { OpenEditor } from './code-editor.ts';

interface CodeFieldProps {
  label: string;
  /** The id of the element that describes the field. */
  describedBy: string;
  text: string;
  /** The maximum number of characters. */
  most: number;
  onChange: (text: string) => void;
  onSave: () => void;
}

type EditorModule = typeof import('./code-editor.ts');

const loadEditor = (): Promise<EditorModule> => {
  const address = document.getElementById('island')?.dataset.codeEditor ?? '';
  return import(new URL(address, document.baseURI).href);
};

/**
 * Shows a field for SQL. It is a plain field until the editor is loaded, and stays one if the editor
 * cannot be loaded.
 */
export function CodeField({ label, describedBy, text, most, onChange, onSave }: CodeFieldProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<OpenEditor | undefined>(undefined);
  /** The text in the editor. Undefined before the editor is open. */
  const shown = useRef<string | undefined>(undefined);
  // The editor keeps its first callbacks. These callbacks read the present functions here.
  const now = useRef({ onChange, onSave });
  now.current = { onChange, onSave };
  const plain = useRef<HTMLTextAreaElement>(null);
  /** The place of the cursor in the plain field. Undefined if the field had no focus. */
  const cursor = useRef<number | undefined>(undefined);
  const [isFull, setFull] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    let isWanted = true;
    const openIn = ({ openEditor }: EditorModule) => {
      if (!isWanted || !place.current) return;
      editor.current = openEditor(place.current, {
        ...{ label, describedBy, most, text },
        onChange: (next) => {
          setFull(false);
          // The page itself may have replaced the text.
          if (next === shown.current) return;
          shown.current = next;
          now.current?.onChange(next);
        },
        onRefused: () => setFull(true),
        onSave: () => now.current?.onSave(),
      });
      shown.current = text;
      const { current: field } = plain;
      cursor.current = field && document.activeElement === field ? field.selectionStart : undefined;
      setOpen(true);
    };
    // Without the editor, the plain field stays.
    loadEditor()
      .then(openIn)
      .catch(() => undefined);
    return () => {
      isWanted = false;
      editor.current?.close();
    };
  }, []);
  useEffect(() => {
    // A person may have begun to type before the editor was there.
    if (isOpen && cursor.current !== undefined) editor.current?.focusAt(cursor.current);
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen || text === shown.current) return;
    shown.current = text;
    editor.current?.replace(text);
  }, [text, isOpen]);
  const saves = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSave();
  };
  return (
    <>
      <div ref={place} class="code-field" hidden={!isOpen} />
      {isFull && <p role="alert">The script may have at most {most} characters.</p>}
      {!isOpen && (
        <textarea
          ref={plain}
          class="code-field"
          aria-label={label}
          aria-describedby={describedBy}
          value={text}
          maxlength={most}
          rows={text.split('\n').length + 1}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          onInput={({ target }: Event) => onChange((target as HTMLTextAreaElement).value)}
          onKeyDown={saves}
        />
      )}
    </>
  );
}
