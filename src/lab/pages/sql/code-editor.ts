/**
 * The editor for SQL. This file is a bundle of its own, and only the pages of lessons load it.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export interface EditorOptions {
  text: string;
  /** The name of the editor for screen readers. */
  label: string;
  /** The id of the element that describes the editor. */
  describedBy: string;
  /** The maximum number of characters. */
  most: number;
  onChange: (text: string) => void;
  /** Called for Ctrl-S, or Cmd-S on a Mac. */
  onSave: () => void;
}

export interface OpenEditor {
  /** Replaces the text. */
  replace(text: string): void;
  focus(): void;
  close(): void;
}

/**
 * Opens the editor inside an element. The editor stands in a shadow root, because there it may
 * adopt its styles. The content security policy forbids inline styles elsewhere.
 */
export function openEditor(parent: HTMLElement, options: EditorOptions): OpenEditor {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  const { text, label, most, onChange, onSave } = options;
  const saves = () => {
    onSave();
    return true;
  };
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        EditorView.lineWrapping,
        sql({ dialect: PostgreSQL }),
        syntaxHighlighting(colours),
        look,
        EditorState.changeFilter.of(({ newDoc }) => newDoc.length <= most),
        EditorView.contentAttributes.of({
          'aria-label': label,
          // No id of the page is known inside of a shadow root, so the words themselves are here.
          'aria-description': document.getElementById(options.describedBy)?.textContent ?? '',
          autocapitalize: 'off',
          autocorrect: 'off',
          spellcheck: 'false',
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString());
        }),
        EditorView.domEventHandlers({ beforeinput: replaceSelection }),
        // Tab moves the focus on, so the keyboard can leave the editor.
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: saves },
          ...defaultKeymap,
          ...historyKeymap,
        ]),
      ],
    }),
  });
  return {
    replace(next) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}

/**
 * Replaces a selection by the typed text. Chromium itself would keep the look of the selection by an
 * inline style, and the policy of the page forbids inline styles.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { state } = view;
  if (event.inputType !== 'insertText' || event.data === null || state.selection.main.empty)
    return false;
  event.preventDefault();
  view.dispatch(state.replaceSelection(event.data), { userEvent: 'input.type' });
  return true;
}

/** The colours are those of the page, in its light and its dark form. */
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--wait)' },
  { tag: tags.comment, color: 'var(--ink-muted)', fontStyle: 'italic' },
]);

const look = EditorView.theme({
  '&': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface)',
    color: 'var(--ink)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  // A font below 16 pixels makes phones zoom into the editor.
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: 'max(16px, 0.95rem)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)', minHeight: '8rem' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--ink-muted)', border: 'none' },
  '.cm-matchingBracket': { background: 'var(--accent-soft)' },
});
