/** Where a result has the data of its view, and the form of that data. Both the server and the views import this. */

/** The key in the `_meta` of a result. */
export const VIEW_DATA_KEY = 'budget-mcp/view';

/** Raised when the data changes, because a host may still have the page of an older version. */
export const VIEW_DATA_VERSION = 7;
