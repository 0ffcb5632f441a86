/** The settings that a program which installs the server asks for in a form. It passes the values in environment variables. */
import { infoOf, settingNames, shape } from '../src/app/config/settings.ts';

export const formFields = settingNames.flatMap((name) => {
  const { form, help, isSecret, variable } = infoOf(name);
  if (!form) return [];
  const described =
    form.note && isSecret ? form.note : `${sentence(help)}.${form.note ? ` ${form.note}` : ''}`;
  return [
    {
      key: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      variable,
      title: form.title,
      description: described.replaceAll('`', ''),
      isSecret: isSecret === true,
      isFlag: shape[name].safeParse(undefined).data === false,
    },
  ];
});

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
