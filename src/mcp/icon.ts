/** The icon of the server: `icon.svg`, without its title, as a data URI. It is in every result of the newer protocol era, so it is small. */
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" rx="112" fill="#0f5c4f"/><circle cx="256" cy="196" r="104" fill="#f4c34f"/><circle cx="256" cy="196" r="74" fill="none" stroke="#c8922a" stroke-width="14"/><path d="M96 208l160 116 160-116v184a24 24 0 0 1-24 24H120a24 24 0 0 1-24-24z" fill="#e9f2ef"/></svg>';

export const icon = {
  src: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
};
