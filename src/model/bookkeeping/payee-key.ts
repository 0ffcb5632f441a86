/** Equal for names that the service takes for the same payee (docs/interface.md, Transaction). */
export const payeeKey = (name: string): string => name.trim().normalize().toLowerCase();
