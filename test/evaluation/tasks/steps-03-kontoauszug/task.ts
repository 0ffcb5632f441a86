/**
 * A pasted statement of which one row is missing in the budget and one has two digits the other way round. Before the last
 * question the partner marks a transaction as cleared.
 */
import { clear, entered, milliunits } from '../../by-name.ts';
import { transactionWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';
import { allLines, eitherSign, sum, units } from '../../truth.ts';

const ACCOUNT = 'Privatkonto';
const missing = {
  account: ACCOUNT,
  date: '2026-11-16',
  amount: -17.45,
  payee: 'Apotheke Sonnenblume',
  category: 'Apotheke',
  cleared: 'cleared',
} as const;
const wrong = { payee: 'Saitenweise', date: '2026-11-13', right: milliunits(-11.8) };
const byPartner = { payee: 'Garage Kolben', date: '2026-11-17' };

export const task: Task = {
  kind: 'steps',
  household: 'haushalt',
  says: [
    `Das steht auf dem Auszug der Bank für das Privatkonto, 12. bis 17. November:
13.11. Saitenweise -11.80
14.11. Sportverein Uferweg -54.00
14.11. Tageskorb -44.10
15.11. Tischlein deck dich -25.00
16.11. Gutschrift Jonas 15.00
16.11. Apotheke Sonnenblume -17.45
17.11. Bancomat -90.00
17.11. Garage Kolben -236.80
17.11. Nudellaterne -18.00
Eine Zahlung fehlt bei uns, und bei einer haben wir uns vertippt. Sag mir Datum und Betrag der fehlenden, und welcher Betrag bei der vertippten jetzt bei uns steht.`,
    'Trag die fehlende ein, Kategorie Apotheke, und berichtige die andere. Die beiden hat die Bank schon verbucht, setz also auch sie auf verbucht (cleared). Alle anderen lass, wie sie sind.',
    'Welchen verbuchten Saldo (cleared) hat das Privatkonto jetzt, und welchen noch nicht verbuchten (uncleared)?',
  ],
  meanwhile: { 2: (service) => clear(service, byPartner.payee, byPartner.date) },
  expected: (before) => {
    const rows = allLines(before).filter(({ account }) => account === ACCOUNT);
    const one = ({ payee, date }: typeof byPartner) =>
      transactionWhere(before, (row) => row.payee === payee && row.date === date);
    const [mistyped, cleared] = [one(wrong), one(byPartner)];
    const uncleared = sum(rows.filter((row) => row.cleared === 'uncleared'));
    const booked = sum(rows) - uncleared;
    return {
      results: [
        [missing.date, eitherSign(milliunits(missing.amount)), eitherSign(mistyped.amount)],
        'done',
        [
          units(booked + milliunits(missing.amount) + wrong.right + cleared.amount),
          units(uncleared - mistyped.amount - cleared.amount),
        ],
      ],
      changes: [
        entered(missing),
        {
          kind: 'transaction',
          updated: mistyped,
          to: { amount: wrong.right, cleared: 'cleared' },
        },
        // By the partner.
        { kind: 'transaction', updated: cleared, to: { cleared: 'cleared' } },
      ],
    };
  },
};
