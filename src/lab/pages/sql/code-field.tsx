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
  // The editor keeps the functions of its beginning, so they look up the present ones here.
  const now = useRef({ onChange, onSave });
  now.current = { onChange, onSave };
  const plain = useRef<HTMLTextAreaElement>(null);
  const hadFocus = useRef(false);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    let isWanted = true;
    const openIn = ({ openEditor }: EditorModule) => {
      if (!isWanted || !place.current) return;
      editor.current = openEditor(place.current, {
        ...{ label, describedBy, most, text },
        onChange: (next) => {
          shown.current = next;
          now.current?.onChange(next);
        },
        onSave: () => now.current?.onSave(),
      });
      shown.current = text;
      hadFocus.current = document.activeElement === plain.current;
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
    if (isOpen && hadFocus.current) editor.current?.focus();
  }, [isOpen]);
  useEffect(() => {
    if (isOpen && text !== shown.current) editor.current?.replace(text);
  }, [text, isOpen]);
  const saves = (event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSave();
  };
  return (
    <>
      <div ref={place} class="code-field" hidden={!isOpen} />
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
