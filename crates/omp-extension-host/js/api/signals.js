// Abort signals for calls that the program can cancel, by the id of the call.
const controllers = new Map();

export function begin(id) {
  const controller = new AbortController();
  controllers.set(id, controller);
  return controller.signal;
}

export function end(id) {
  controllers.delete(id);
}

export function abort({ id, reason }) {
  controllers.get(id)?.abort(new Error(reason ?? "This operation was aborted"));
}
