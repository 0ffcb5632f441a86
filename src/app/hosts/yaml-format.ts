/** YAML. The library writes the whole document anew, with its comments, and perhaps with other indentation. */
import { type Document, isMap, parseDocument, type Tags } from 'yaml';
import { CannotEdit, type ConfigFormat, lineEndOf } from './text-edits.ts';

export const yamlFormat: ConfigFormat = {
  parse: (text) => documentOf(text).toJS() ?? {},
  set(text, keys, name, entry) {
    const document = documentOf(text);
    // The library puts nothing into what is null.
    if (!isMap(document.contents)) document.contents = document.createNode({});
    if (!isMap(document.getIn(keys))) document.setIn(keys, document.createNode({}));
    document.setIn([...keys, name], entry);
    return textOf(document, text);
  },
  remove(text, keys, name) {
    const document = documentOf(text);
    document.deleteIn([...keys, name]);
    return textOf(document, text);
  },
};

function documentOf(text: string): Document {
  // The library would keep a carriage return in some comments.
  const document = parseDocument(text.replaceAll('\r\n', '\n'), { customTags: withNumbersAsWritten });
  // The parser's messages quote the text.
  if (document.errors.length > 0) throw new CannotEdit('is not valid YAML');
  return document;
}

/** A number of another server may be an id of 18 digits, or begin with zeros. */
const withNumbersAsWritten = (tags: Tags): Tags =>
  tags.map((tag) => {
    if (typeof tag !== 'object' || tag.collection !== undefined || !/:(int|float)$/.test(tag.tag)) return tag;
    const { stringify = String } = tag;
    return { ...tag, stringify: (item, ...rest) => item.source ?? stringify(item, ...rest) };
  });

/** Laid out as Goose does it, with the line ends of the text before. */
const textOf = (document: Document, before: string): string =>
  document.toString({ lineWidth: 0, indentSeq: false }).replaceAll('\n', lineEndOf(before));
