/** Draws the statements of a bank, and a field to choose a file, which goes to the server in parts and to no model. */
import type { StatementsContent } from '../features/reconcile/statements/statements-schema.ts';
import { type Child, el, name, note, phrase, remark } from './element.ts';
import type { Drawing, Drawn } from './page.ts';
import { table, tableRow } from './table.ts';

/** A text of base64 has at most 10,000 characters, and a message of HTTP a megabyte. */
const TEXT_BYTES = 7_500;
const TEXTS = 48;

export function drawStatements({ statements }: StatementsContent, drawing: Drawing): Drawn {
  return {
    title: 'Statements of the bank',
    subtitle: [],
    body: [
      picker(drawing),
      statements.length === 0
        ? remark('There is no file yet.')
        : table(
            [['File'], ['Period'], ['Rows', 'amount']],
            statements.map((each) => row(each, drawing)),
          ),
    ],
  };
}

type Statement = StatementsContent['statements'][number];

function row(
  { name: text, format, rows, first, last, account, reading, problem }: Statement,
  { count, dates }: Drawing,
): HTMLElement {
  const about = [format, account].filter((each) => each !== undefined).join(' · ');
  return tableRow(
    [
      name(text),
      about !== '' && el('small', {}, name(about)),
      ...[reading, problem].map((each) => each !== undefined && el('small', {}, name(each))),
    ],
    el('td', {}, first !== undefined && last !== undefined && name(dates.range(first, last))),
    el('td', { class: 'amount' }, rows === undefined ? '' : count(rows)),
  );
}

function picker(drawing: Drawing): Child {
  if (!drawing.ask) return remark('This application lets the view send no file.');
  const state = el('p', { class: 'empty', role: 'status' });
  const onchange = () => {
    const [file] = input.files ?? [];
    if (!file) return;
    input.disabled = true;
    send(file, drawing, (text) => state.replaceChildren(phrase(text)))
      .catch((error: unknown) =>
        state.replaceChildren(name(error instanceof Error ? error.message : 'The file could not be sent.')),
      )
      .finally(() => {
        input.disabled = false;
        input.value = '';
      });
  };
  const input: HTMLInputElement = el('input', { type: 'file', onchange });
  return el(
    'section',
    { class: 'list' },
    el('label', {}, 'Choose a file that you have exported at your bank', input),
    note(
      'It is kept sealed for one hour. The assistant learns its name, its period and the number of its rows.',
    ),
    state,
  );
}

/** The answer to the last part is drawn, and its first line is what the model learns. */
async function send(file: File, { ask, more, count }: Drawing, say: (text: string) => void): Promise<void> {
  let upload: string | undefined;
  for (let at = 0; ; at += TEXT_BYTES * TEXTS) {
    const bytes = new Uint8Array(await file.slice(at, at + TEXT_BYTES * TEXTS).arrayBuffer());
    const args = { upload, name: file.name, size: file.size, at, content: textsOf(bytes) };
    const question = { tool: 'upload_statement', args };
    if (at + bytes.length >= file.size) return ask?.(question);
    say(`${count(Math.round((100 * at) / file.size))} % sent …`);
    upload = (await more('statements', question)).upload;
  }
}

const textsOf = (bytes: Uint8Array): string[] =>
  Array.from({ length: Math.ceil(bytes.length / TEXT_BYTES) }, (_, index) =>
    btoa(String.fromCharCode(...bytes.subarray(index * TEXT_BYTES, (index + 1) * TEXT_BYTES))),
  );
