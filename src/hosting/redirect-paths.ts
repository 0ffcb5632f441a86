/** Where the budgeting service sends browsers back to. They have to be registered there as redirect URIs. */
export const CALLBACK_PATH = '/oauth/callback';
export const ACCOUNT_CALLBACK_PATH = '/account/callback';

export const REDIRECT_PATHS = [CALLBACK_PATH, ACCOUNT_CALLBACK_PATH];
