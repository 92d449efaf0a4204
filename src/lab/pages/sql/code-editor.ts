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
  /** Called if a change would make the text too long. */
  onRefused: () => void;
  /** Called for Ctrl-S, or Cmd-S on a Mac. */
  onSave: () => void;
}

export interface OpenEditor {
  /** Replaces the text. */
  replace(text: string): void;
  /** Moves the focus to the editor, with the cursor at this character. */
  focusAt(character: number): void;
  close(): void;
}

/**
 * Opens the editor inside an element. The editor is in a shadow root, where the policy of the page
 * allows its styles.
 */
export function openEditor(parent: HTMLElement, options: EditorOptions): OpenEditor {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  const { text, label, most, onChange, onRefused, onSave } = options;
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
        // A text above the limit may still get shorter.
        EditorState.changeFilter.of(({ newDoc, startState }) => {
          const mayChange = newDoc.length <= Math.max(most, startState.doc.length);
          if (!mayChange) onRefused();
          return mayChange;
        }),
        EditorView.contentAttributes.of({
          'aria-label': label,
          // An element in a shadow root cannot refer to an id of the page, so we copy the words.
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
          { key: 'Ctrl-s', preventDefault: true, run: saves },
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
    focusAt(character) {
      view.dispatch({ selection: { anchor: Math.min(character, view.state.doc.length) } });
      view.focus();
    },
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
